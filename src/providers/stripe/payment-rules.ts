import type { FactSource, PaymentState } from '../../events/payment-fact.ts'
import type { StripeObject } from './stripe-object.ts'

/** How one event type is read: which payment it is about, what state it names, where its amounts stand. */
export type PaymentRule = {
  fact: string
  source: FactSource
  paymentId(object: StripeObject): string | null | undefined
  state(object: StripeObject): PaymentState | undefined
  amount(object: StripeObject): number | null | undefined
  received?(object: StripeObject): number | null | undefined
  refunded?(object: StripeObject, apiVersion: string | null): number | null | undefined
  /** Why an object of this type has nothing to do with a payment. */
  ignore?(object: StripeObject): string | undefined
  /** Why an object of this type cannot be read. */
  park?(object: StripeObject): string | undefined
}

const intentRule = (fact: string, state: PaymentState): PaymentRule => ({
  fact,
  source: 'payment',
  paymentId: (intent) => intent.id,
  state: () => state,
  amount: (intent) => intent.amount,
  received: (intent) => (state === 'succeeded' ? (intent.amount_received ?? intent.amount) : intent.amount_received),
})

const sessionRule = (fact: string, state: (session: StripeObject) => PaymentState): PaymentRule => ({
  fact,
  source: 'checkout',
  paymentId: (session) => session.payment_intent ?? session.id,
  state,
  amount: (session) => session.amount_total,
  received: (session) => (state(session) === 'succeeded' ? session.amount_total : 0),
  ignore: ({ mode }) => (mode === 'setup' ? 'setup_mode' : undefined),
  park: ({ payment_status: status }) => (isPaymentStatus(status) ? undefined : 'payment_status_unknown'),
})

const refundRule = (fact: string): PaymentRule => ({
  fact,
  source: 'charge',
  // A charge of before 2018, or of another method, has no intent and stands for itself.
  paymentId: (charge) => charge.payment_intent ?? charge.id,
  // Only money that had arrived can go back, so a refund proves the payment, even when it is heard first. What was
  // authorised and never captured comes as `charge.refunded` as well, and proves nothing.
  state: ({ captured }) => (captured === false ? undefined : 'succeeded'),
  amount: (charge) => charge.amount,
  received: capturedAmount,
  refunded: refundedAmount,
})

function capturedAmount({ amount, amount_captured: captured, captured: isCaptured }: StripeObject): number {
  return captured ?? (isCaptured === false ? 0 : (amount ?? 0))
}

/** Before https://docs.stripe.com/changelog/basil the part that was not captured counted as refunded. */
function refundedAmount(charge: StripeObject, apiVersion: string | null): number {
  const refunded = charge.amount_refunded ?? charge.amount ?? 0
  const released = apiVersion !== null && apiVersion < '2025-03-31' ? (charge.amount ?? 0) - capturedAmount(charge) : 0
  return Math.max(0, Math.min(refunded - released, capturedAmount(charge)))
}

function isPaymentStatus(status: string | null | undefined): boolean {
  return status === 'paid' || status === 'unpaid' || status === 'no_payment_required'
}

// A session is completed when the customer is done, which for slow methods is days before the money is there.
const completedState = ({ payment_status: status }: StripeObject): PaymentState => (status === 'unpaid' ? 'processing' : 'succeeded')

const RULES: Record<string, PaymentRule> = {
  'payment_intent.created': intentRule('payment.created', 'created'),
  'payment_intent.requires_action': intentRule('payment.requires_action', 'requires_action'),
  'payment_intent.partially_funded': intentRule('payment.requires_action', 'requires_action'),
  'payment_intent.processing': intentRule('payment.processing', 'processing'),
  'payment_intent.amount_capturable_updated': intentRule('payment.authorized', 'authorized'),
  'payment_intent.payment_failed': intentRule('payment.failed', 'failed'),
  'payment_intent.canceled': intentRule('payment.canceled', 'canceled'),
  'payment_intent.succeeded': intentRule('payment.succeeded', 'succeeded'),
  'charge.refunded': refundRule('payment.refunded'),
  'checkout.session.completed': sessionRule('checkout.completed', completedState),
  'checkout.session.async_payment_succeeded': sessionRule('checkout.succeeded', () => 'succeeded'),
  'checkout.session.async_payment_failed': sessionRule('checkout.failed', () => 'failed'),
  'checkout.session.expired': sessionRule('checkout.expired', () => 'canceled'),
  // Generic names that people test with, read like their Stripe twins.
  'payment.succeeded': intentRule('payment.succeeded', 'succeeded'),
  'payment.failed': intentRule('payment.failed', 'failed'),
  'payment.refunded': refundRule('payment.refunded'),
}

/** A Map, since a sender may call an event `constructor`. */
export const PAYMENT_RULES: ReadonlyMap<string, PaymentRule> = new Map(Object.entries(RULES))
