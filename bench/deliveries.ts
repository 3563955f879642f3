import { randomBytes } from 'node:crypto'
import { signStripe } from '../src/providers/stripe/sign-stripe.ts'

export type SignedDelivery = { eventId: string; body: Buffer; headers: Record<string, string> }

export const WEBHOOK_PATH = '/webhooks/stripe'

/** Two events of one payment, which name their order; every event is another one, and signed for this moment. */
export function makeDeliveries(count: number, secret: string, firstNumber = 0): SignedDelivery[] {
  const createdSeconds = Math.floor(Date.now() / 1000)
  return Array.from({ length: count }, (_, index) => {
    const number = firstNumber + index
    const event = buildEvent({ number: number - (number % 2), isSuccess: number % 2 === 1, createdSeconds })
    const text = JSON.stringify(event, null, 2)
    return {
      eventId: event.id,
      body: Buffer.from(text),
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
        'Stripe-Signature': signStripe(text, secret, createdSeconds),
      },
    }
  })
}

type EventOptions = { number: number; isSuccess: boolean; createdSeconds: number }

/** Pretty-printed it has about 2 KB, as a PaymentIntent of Stripe's has. */
function buildEvent({ number, isSuccess, createdSeconds }: EventOptions) {
  const suffix = String(number).padStart(12, '0')
  const amount = 1000 + (number % 9000)
  return {
    id: `evt_${randomBytes(12).toString('hex')}`,
    object: 'event',
    api_version: '2026-10-28.endive',
    created: createdSeconds,
    data: {
      object: {
        id: `pi_3Bench${suffix}`,
        object: 'payment_intent',
        amount,
        amount_capturable: 0,
        amount_details: { tip: {} },
        amount_received: isSuccess ? amount : 0,
        application: null,
        automatic_payment_methods: { allow_redirects: 'always', enabled: true },
        canceled_at: null,
        cancellation_reason: null,
        capture_method: 'automatic_async',
        client_secret: `pi_3Bench${suffix}_secret_${suffix}`,
        confirmation_method: 'automatic',
        created: createdSeconds,
        currency: 'usd',
        customer: `cus_Bench${suffix}`,
        description: `Order ${number} of the shop`,
        last_payment_error: null,
        latest_charge: isSuccess ? `ch_3Bench${suffix}` : null,
        livemode: false,
        metadata: { order_id: `order-${suffix}`, cart_id: `cart-${suffix}`, channel: 'web' },
        next_action: null,
        on_behalf_of: null,
        payment_method: isSuccess ? `pm_1Bench${suffix}` : null,
        payment_method_configuration_details: { id: 'pmc_1BenchConfiguration', parent: null },
        payment_method_options: {
          card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' },
          link: { persistent_token: null },
        },
        payment_method_types: ['card', 'link'],
        processing: null,
        receipt_email: `customer-${number}@example.com`,
        review: null,
        setup_future_usage: null,
        shipping: null,
        source: null,
        statement_descriptor: null,
        statement_descriptor_suffix: null,
        status: isSuccess ? 'succeeded' : 'requires_payment_method',
        transfer_data: null,
        transfer_group: null,
      },
    },
    livemode: false,
    pending_webhooks: 1,
    request: { id: `req_Bench${suffix}`, idempotency_key: `key-${suffix}-${isSuccess}` },
    type: isSuccess ? 'payment_intent.succeeded' : 'payment_intent.created',
  }
}
