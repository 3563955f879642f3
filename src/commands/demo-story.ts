import { buildSample, randomId, SAMPLES, type SampleOptions } from './sample-events.ts'

export type DemoStep = {
  title: string
  body: string
  /** Signed with a secret that the gateway does not know. */
  forged?: true
  /** The order to look at afterwards. */
  orderId?: string
}

/** A payment and what happens to real ones: repeats, disorder, a refund, a forgery, types that nobody handles. */
export function buildDemoStory(nowSeconds: number): DemoStep[] {
  const first = { orderId: 'ord_1001', paymentId: randomId('pi'), amountMinor: 2000, currency: 'USD' }
  const second = { orderId: 'ord_1002', paymentId: randomId('pi'), amountMinor: 4950, currency: 'EUR' }
  const paid = sample('payment_intent.succeeded', { ...first, createdSeconds: nowSeconds - 60 })
  return [
    { title: 'A customer pays', body: paid, orderId: first.orderId },
    { title: 'The provider sends it again', body: paid, orderId: first.orderId },
    {
      title: 'Another payment: success arrives first …',
      body: sample('payment_intent.succeeded', { ...second, createdSeconds: nowSeconds - 10 }),
      orderId: second.orderId,
    },
    {
      title: '… then what came before it …',
      body: sample('payment_intent.processing', { ...second, createdSeconds: nowSeconds - 20 }),
      orderId: second.orderId,
    },
    {
      title: '… and before that',
      body: sample('payment_intent.created', { ...second, createdSeconds: nowSeconds - 30 }),
      orderId: second.orderId,
    },
    {
      title: 'The first one is refunded',
      body: sample('charge.refunded', { ...first, createdSeconds: nowSeconds }),
      orderId: first.orderId,
    },
    {
      title: 'Somebody forges a payment',
      body: sample('payment_intent.succeeded', { ...first, orderId: 'ord_1003', createdSeconds: nowSeconds }),
      forged: true,
      orderId: 'ord_1003',
    },
    { title: 'A type without meaning for money', body: sample('customer.created', { ...first, createdSeconds: nowSeconds }) },
    { title: 'A thin event', body: thinEvent(nowSeconds) },
  ]
}

function sample(type: string, options: SampleOptions): string {
  const found = SAMPLES[type]
  if (!found) throw new Error(`There is no sample of ${type}`)
  return buildSample(type, found, options)
}

function thinEvent(nowSeconds: number): string {
  const event = {
    id: randomId('evt'),
    object: 'v2.core.event',
    type: 'v1.payment_intent.succeeded',
    livemode: false,
    created: new Date(nowSeconds * 1000).toISOString(),
    related_object: { id: randomId('pi'), type: 'payment_intent', url: '/v1/payment_intents' },
  }
  return JSON.stringify(event, null, 2)
}
