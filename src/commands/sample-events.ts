import { randomBytes } from 'node:crypto'

export type SampleOptions = {
  orderId?: string
  amountMinor: number
  currency: string
  paymentId: string
  eventId?: string
  createdSeconds: number
}

type Sample = { about: string; object(options: SampleOptions): object }

const metadata = ({ orderId }: SampleOptions) => (orderId === undefined ? {} : { order_id: orderId })
const customer = { customer: 'cus_SluiceSample', receipt_email: 'Jenny.Rosen@example.com' }

const intent = (status: string, received: (options: SampleOptions) => number) => (options: SampleOptions) => ({
  id: options.paymentId,
  object: 'payment_intent',
  amount: options.amountMinor,
  amount_received: received(options),
  currency: options.currency.toLowerCase(),
  status,
  latest_charge: options.paymentId.replace('pi_', 'ch_'),
  metadata: metadata(options),
  ...customer,
})

const refundedCharge = (options: SampleOptions) => ({
  id: options.paymentId.replace('pi_', 'ch_'),
  object: 'charge',
  amount: options.amountMinor,
  amount_captured: options.amountMinor,
  amount_refunded: options.amountMinor,
  currency: options.currency.toLowerCase(),
  payment_intent: options.paymentId,
  refunded: true,
  status: 'succeeded',
  billing_details: { email: customer.receipt_email, name: 'Jenny Rosen' },
  metadata: metadata(options),
})

const session = (paymentStatus: string) => (options: SampleOptions) => ({
  id: options.paymentId.replace('pi_', 'cs_test_'),
  object: 'checkout.session',
  amount_total: options.amountMinor,
  client_reference_id: options.orderId ?? null,
  currency: options.currency.toLowerCase(),
  customer_details: { email: customer.receipt_email },
  mode: 'payment',
  payment_intent: options.paymentId,
  payment_status: paymentStatus,
  status: 'complete',
  metadata: {},
})

const nothingReceived = () => 0
const allReceived = ({ amountMinor }: SampleOptions) => amountMinor

export const SAMPLES: Record<string, Sample> = {
  'payment.succeeded': { about: 'generic name: the money has arrived', object: intent('succeeded', allReceived) },
  'payment.failed': { about: 'generic name: the payment failed', object: intent('requires_payment_method', nothingReceived) },
  'payment.refunded': { about: 'generic name: all of it went back', object: refundedCharge },
  'payment_intent.created': { about: 'a payment was begun', object: intent('requires_payment_method', nothingReceived) },
  'payment_intent.processing': { about: 'the bank is at work', object: intent('processing', nothingReceived) },
  'payment_intent.succeeded': { about: 'the money has arrived', object: intent('succeeded', allReceived) },
  'payment_intent.payment_failed': { about: 'the payment failed', object: intent('requires_payment_method', nothingReceived) },
  'payment_intent.canceled': { about: 'the payment was given up', object: intent('canceled', nothingReceived) },
  'charge.refunded': { about: 'all of it went back', object: refundedCharge },
  'checkout.session.completed': { about: 'the customer is through the checkout and has paid', object: session('paid') },
  'checkout.session.async_payment_failed': { about: 'a slow payment failed after the checkout', object: session('unpaid') },
  'customer.created': {
    about: 'nothing to do with money: stored and ignored',
    object: () => ({ id: customer.customer, object: 'customer', email: customer.receipt_email, metadata: {} }),
  },
}

/** An event as Stripe would send it, pretty-printed as Stripe does. */
export function buildSample(type: string, sample: Sample, options: SampleOptions): string {
  const event = {
    id: options.eventId ?? randomId('evt'),
    object: 'event',
    api_version: '2026-10-28.endive',
    created: options.createdSeconds,
    data: { object: sample.object(options) },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  }
  return JSON.stringify(event, null, 2)
}

export function randomId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`
}
