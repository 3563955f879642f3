import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, getOrder, type Json } from '../helpers/api.ts'
import { processInTurn } from '../helpers/process-in-turn.ts'
import { buildEvent, buildIntent, type EventOverrides, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ env: { STRIPE_LIVEMODE: 'true', STRIPE_ACCOUNTS: 'acct_A' } })
})
afterAll(() => gateway.stop())

const START = Math.floor(Date.now() / 1000) - 1000

function live(type: string, object: object, overrides: EventOverrides = {}) {
  return buildEvent({ type, object, livemode: true, ...overrides })
}

const process = (...events: { id: string }[]) => processInTurn(gateway.url, events)

function permute<Item>(items: Item[]): Item[][] {
  if (items.length <= 1) return [items]
  return items.flatMap((item, index) => permute(items.toSpliced(index, 1)).map((rest) => [item, ...rest]))
}

function checkout(overrides: object) {
  return { id: uniqueId('cs'), object: 'checkout.session', mode: 'payment', amount_total: 2000, currency: 'usd', ...overrides }
}

describe('what is not ours leaves the order as it is:', () => {
  it.each([
    ['ignores a test event on a live gateway', { livemode: false }, { status: 'ignored', reason: 'mode_mismatch' }],
    ['parks an event of an account that is not ours', { account: 'acct_B' }, { status: 'parked', reason: 'account_unknown' }],
  ])('%s', async (_what, overrides, end) => {
    const orderId = uniqueId('ord')
    await process(
      live('payment_intent.created', buildIntent({ amount_received: 0, metadata: { order_id: orderId } }), { account: 'acct_A' }),
    )

    const event = await process(live('payment_intent.succeeded', buildIntent({ metadata: { order_id: orderId } }), overrides))

    expect(event).toMatchObject({ ...end, references: expect.arrayContaining([{ kind: 'order', value: orderId }]) })
    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'pending', paid_minor: 0 })
  })
})

describe('a checkout', () => {
  it('ends the same in every order of its four events', async () => {
    const orders = permute([0, 1, 2, 3]).map(() => uniqueId('ord'))
    await Promise.all(
      permute([0, 1, 2, 3]).map(async (places, index) => {
        const orderId = orders[index] as string
        const [intent, charge] = [uniqueId('pi'), uniqueId('ch')]
        const events = [
          live('payment_intent.created', buildIntent({ id: intent, amount_received: 0 }), { created: START }),
          live('charge.succeeded', { id: charge, object: 'charge', amount: 2000, currency: 'usd', captured: true, payment_intent: intent }),
          live('payment_intent.succeeded', buildIntent({ id: intent, latest_charge: charge }), { created: START + 2 }),
          live('checkout.session.completed', checkout({ payment_intent: intent, payment_status: 'paid', client_reference_id: orderId })),
        ]
        await process(...places.map((place) => events[place] as { id: string }))
      }),
    )

    for (const orderId of orders) {
      const order = await getOrder(gateway.url, orderId)
      expect(order).toMatchObject({ status: 'paid', paid_minor: 2000, flags: ['unregistered'] })
      expect(order.payments).toHaveLength(1)
    }
  })

  it.each([
    ['failed', 'checkout.session.async_payment_failed', 'unpaid', { status: 'failed', paid_minor: 0 }],
    ['paid', 'checkout.session.async_payment_succeeded', 'paid', { status: 'paid', paid_minor: 2000 }],
  ])('by a slow method is processing until it is %s', async (_end, type, payment_status, expected) => {
    const session = checkout({ payment_intent: uniqueId('pi'), client_reference_id: uniqueId('ord') })
    const orderId = (session as Json).client_reference_id
    await process(live('checkout.session.completed', { ...session, payment_status: 'unpaid' }, { created: START }))
    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'processing', paid_minor: 0 })

    await process(live(type, { ...session, payment_status }, { created: START + 60 }))

    expect(await getOrder(gateway.url, orderId)).toMatchObject(expected)
  })

  it('with nothing to pay is paid with 0', async () => {
    const orderId = uniqueId('ord')
    const nothing = { payment_intent: null, customer: null, amount_total: 0, payment_status: 'no_payment_required' }
    await process(live('checkout.session.completed', checkout({ ...nothing, client_reference_id: orderId })))

    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'paid', paid_minor: 0, payments: [{ status: 'succeeded' }] })
  })
})

describe('refunds', () => {
  it.each([
    ['rising', [6000, 10_000]],
    ['falling', [10_000, 6000]],
  ])('that arrive with a %s sum end in the whole of it', async (_what, sums) => {
    const [orderId, charge] = [uniqueId('ord'), uniqueId('ch')]
    const object = { id: charge, object: 'charge', amount: 10_000, amount_captured: 10_000, captured: true, currency: 'usd' }
    const refunded = (amount: number) =>
      live('charge.refunded', { ...object, amount_refunded: amount, metadata: { order_id: orderId } }, { created: START + amount })
    await process(...sums.map(refunded))

    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'refunded', paid_minor: 10_000, refunded_minor: 10_000 })
  })

  it('that two events tell of are counted once', async () => {
    const [orderId, intent, charge, refund] = [uniqueId('ord'), uniqueId('pi'), uniqueId('ch'), uniqueId('re')]
    const object = { id: refund, object: 'refund', amount: 500, currency: 'usd', charge, payment_intent: intent, status: 'succeeded' }
    await process(
      live('payment_intent.succeeded', buildIntent({ id: intent, metadata: { order_id: orderId } })),
      live('refund.created', object),
      live('charge.refund.updated', object),
    )

    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'partially_refunded', refunded_minor: 500 })
  })
})

describe('an invoice', () => {
  const invoice = (overrides: object) => ({
    id: uniqueId('in'),
    object: 'invoice',
    currency: 'usd',
    amount_due: 2000,
    amount_paid: 2000,
    ...overrides,
  })

  it.each([
    ['before 2025-03-31', '2024-06-20', (intent: string) => ({ payment_intent: intent })],
    [
      'since 2025-03-31',
      '2025-03-31.basil',
      (intent: string) => ({
        payments: { data: [{ status: 'paid', amount_paid: 2000, payment: { type: 'payment_intent', payment_intent: intent } }] },
      }),
    ],
  ])('in the shape %s pays its order once, with its payment', async (_when, api_version, tie) => {
    const [orderId, intent] = [uniqueId('ord'), uniqueId('pi')]
    await process(
      live('invoice.paid', invoice({ metadata: { order_id: orderId }, ...tie(intent) }), { api_version }),
      live('payment_intent.succeeded', buildIntent({ id: intent }), { api_version }),
    )

    expect(await getOrder(gateway.url, orderId)).toMatchObject({
      status: 'paid',
      paid_minor: 2000,
      flags: ['unregistered'],
      payments: [{ payment_id: intent }],
    })
  })

  it('of a renewal is a payment of its own, and not one of the order of the first', async () => {
    const orderId = uniqueId('ord')
    const details = { subscription_details: { metadata: { order_id: orderId } }, subscription: uniqueId('sub') }
    const reasons = ['subscription_create', 'subscription_cycle', 'subscription_update', 'manual']
    const invoices = reasons.map((billing_reason) => invoice({ billing_reason, payment_intent: uniqueId('pi'), ...details }))
    await process(...invoices.map((object) => live('invoice.paid', object)))

    const order = await getOrder(gateway.url, orderId)
    expect(order).toMatchObject({ status: 'paid', paid_minor: 2000 })
    expect(order.payments.map((payment: Json) => payment.payment_id)).toEqual([(invoices[0] as Json).payment_intent])
    const { body } = await callApi(gateway.url, '/api/payments?unmatched=true')
    const unmatched = body.data.map((payment: Json) => payment.payment_id)
    for (const renewal of invoices.slice(1)) expect(unmatched).toContain((renewal as Json).payment_intent)
  })
})

describe('a dispute', () => {
  const statuses: [string, object][] = [
    ['warning_needs_response', { status: 'paid', flags: ['unregistered', 'inquiry'] }],
    ['needs_response', { status: 'disputed', disputed_minor: 2000, flags: ['unregistered'] }],
    ['lost', { status: 'charged_back', charged_back_minor: 2000, disputed_minor: 0 }],
    ['won', { status: 'paid', charged_back_minor: 0 }],
  ]
  it.each(statuses)('that is %s shows in the order', async (status, expected) => {
    const [orderId, intent] = [uniqueId('ord'), uniqueId('pi')]
    const dispute = { id: uniqueId('dp'), object: 'dispute', amount: 2000, currency: 'usd', charge: uniqueId('ch'), payment_intent: intent }
    await process(
      live('charge.dispute.updated', { ...dispute, status }),
      live('payment_intent.succeeded', buildIntent({ id: intent, metadata: { order_id: orderId } })),
    )

    expect(await getOrder(gateway.url, orderId)).toMatchObject(expected)
  })
})
