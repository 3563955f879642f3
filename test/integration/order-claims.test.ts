import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, getOrder, type Json } from '../helpers/api.ts'
import { processInTurn } from '../helpers/process-in-turn.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway, VIEWER_TOKEN } from '../helpers/start-test-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

const process = (...events: { id: string }[]) => processInTurn(gateway.url, events)

function register(orderId: string, body: object) {
  return callApi(gateway.url, `/api/orders/${orderId}`, { method: 'PUT', body: JSON.stringify(body) })
}

function link(paymentId: string, orderId: string, options: { token?: string } = {}) {
  const body = JSON.stringify({ order_id: orderId, reason: 'a receipt' })
  return callApi(gateway.url, `/api/payments/stripe/${paymentId}/link`, { method: 'POST', body, ...options })
}

async function listUnmatched(): Promise<string[]> {
  const { body } = await callApi(gateway.url, '/api/payments?unmatched=true&limit=200')
  return body.data.map((payment: Json) => payment.payment_id)
}

describe('a payment that names no order', () => {
  it.each([
    ['nothing', {}],
    ['an empty text', { order_id: '' }],
    ['10 KB', { order_id: 'x'.repeat(10_240) }],
    ['no text', { order_id: { a: 1 } }],
  ])('is listed as unmatched and not tried again when its metadata say %s', async (_what, metadata) => {
    const intent = buildIntent({ metadata })
    const event = await process(buildEvent({ object: intent }))

    expect(event).toMatchObject({ status: 'processed', reason: 'order_not_named', attempts: [{ outcome: 'succeeded' }] })
    expect(await listUnmatched()).toContain(intent.id)
  })

  it.each([
    ['its own id', ({ intent }: Ids) => intent],
    ['its charge', ({ charge }: Ids) => charge],
    ['its refund', ({ refund }: Ids) => refund],
  ])('is paid for an order when a person links %s', async (_what, choose) => {
    const ids = { intent: uniqueId('pi'), charge: uniqueId('ch'), refund: uniqueId('re') }
    const orderId = uniqueId('ord')
    const refund = { id: ids.refund, object: 'refund', amount: 500, currency: 'usd', charge: ids.charge, payment_intent: ids.intent }
    await process(
      buildEvent({ object: buildIntent({ id: ids.intent, latest_charge: ids.charge }) }),
      buildEvent({ type: 'refund.created', object: { ...refund, status: 'succeeded' } }),
    )

    const linked = await link(choose(ids), orderId)

    expect(linked.status).toBe(200)
    expect(linked.body).toMatchObject({
      status: 'partially_refunded',
      paid_minor: 2000,
      refunded_minor: 500,
      payments: [{ payment_id: ids.intent, order_id: orderId, refunds: [{ refund_id: ids.refund }] }],
      history: [{ from: 'pending', to: 'partially_refunded', message_id: null, note: 'linked by olga: a receipt' }],
    })
    expect(await listUnmatched()).not.toContain(ids.intent)
  })
  type Ids = { intent: string; charge: string; refund: string }

  it('answers 404 payment_not_found when nothing has the id', async () => {
    expect(await link('pi_unknown', uniqueId('ord'))).toMatchObject({ status: 404, body: { code: 'payment_not_found' } })
  })

  it('is not linked by a viewer', async () => {
    expect((await link('pi_unknown', uniqueId('ord'), { token: VIEWER_TOKEN })).status).toBe(403)
  })

  it('is listed page by page, each once', async () => {
    const intents = [buildIntent(), buildIntent(), buildIntent()]
    await process(...intents.map((object) => buildEvent({ object })))

    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await callApi(gateway.url, `/api/payments?unmatched=true&limit=1${cursor}`)
      seen.push(...body.data.map((payment: Json) => payment.payment_id))
      if (body.next_cursor === null) break
      cursor = `&cursor=${body.next_cursor}`
    }

    expect(seen).toEqual([...new Set(seen)])
    expect(seen).toEqual(expect.arrayContaining(intents.map(({ id }) => id)))
  })
})

describe('a payment that moves', () => {
  it('leaves the order that it named when a person links it elsewhere, and both histories say so', async () => {
    const [named, right] = [uniqueId('ord'), uniqueId('ord')]
    const intent = buildIntent({ metadata: { order_id: named } })
    await process(buildEvent({ object: intent }))

    await link(intent.id, right)

    expect(await getOrder(gateway.url, named)).toMatchObject({ status: 'pending', paid_minor: 0, payments: [] })
    expect(await getOrder(gateway.url, right)).toMatchObject({ status: 'paid', paid_minor: 2000 })
    expect((await getOrder(gateway.url, named)).history.at(-1)).toMatchObject({ from: 'paid', to: 'pending', fact: 'payment.linked' })
  })

  it('is flagged in both orders when its checkout names another than itself, until a person decides', async () => {
    const [own, other] = [uniqueId('ord'), uniqueId('ord')]
    const intent = buildIntent({ metadata: { order_id: own } })
    const checkout = { id: uniqueId('cs'), object: 'checkout.session', amount_total: 2000, currency: 'usd', payment_status: 'paid' }
    await process(
      buildEvent({ object: intent }),
      buildEvent({ type: 'checkout.session.completed', object: { ...checkout, payment_intent: intent.id, client_reference_id: other } }),
    )
    expect(await getOrder(gateway.url, own)).toMatchObject({ status: 'paid', flags: ['unregistered', 'claim_conflict'] })
    expect(await getOrder(gateway.url, other)).toMatchObject({ status: 'pending', flags: ['unregistered', 'claim_conflict'] })

    await link(intent.id, other)

    expect(await getOrder(gateway.url, own)).toMatchObject({ status: 'pending', flags: ['unregistered'] })
    expect(await getOrder(gateway.url, other)).toMatchObject({ status: 'paid', flags: ['unregistered'] })
  })
})

describe('what does not count for an order is shown and flagged:', () => {
  it('another currency than the registered one', async () => {
    const orderId = uniqueId('ord')
    await register(orderId, { currency: 'EUR', expected_minor: 10_000 })
    await process(
      buildEvent({ object: buildIntent({ amount: 10_000, amount_received: 10_000, currency: 'jpy', metadata: { order_id: orderId } }) }),
    )

    expect(await getOrder(gateway.url, orderId)).toMatchObject({
      status: 'pending',
      paid_minor: 0,
      flags: ['amount_mismatch', 'currency_mismatch'],
      payments: [{ counts: false, currency: 'JPY', received_minor: 10_000 }],
    })
  })

  it('a payment of another account than the one that the order is bound to', async () => {
    const orderId = uniqueId('ord')
    await register(orderId, { currency: 'USD', expected_minor: 2000, account: 'acct_A' })
    await process(buildEvent({ account: 'acct_B', object: buildIntent({ metadata: { order_id: orderId } }) }))

    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'pending', flags: ['amount_mismatch', 'account_mismatch'] })
  })

  it('a test payment beside a live one', async () => {
    const orderId = uniqueId('ord')
    const object = () => buildIntent({ metadata: { order_id: orderId } })
    await process(buildEvent({ object: object() }), buildEvent({ livemode: true, object: object() }))

    expect(await getOrder(gateway.url, orderId)).toMatchObject({
      status: 'paid',
      paid_minor: 2000,
      flags: ['unregistered', 'mode_mismatch'],
    })
  })
})

describe('the history of an order', () => {
  it('says which event was refused and why, once, and nothing when an event is told again', async () => {
    const orderId = uniqueId('ord')
    const intent = buildIntent({ metadata: { order_id: orderId } })
    const created = Math.floor(Date.now() / 1000) - 10
    const failed = buildEvent({ type: 'payment_intent.payment_failed', created, object: { ...intent, amount_received: 0 } })
    await process(buildEvent({ created: created + 5, object: intent }), failed)
    await deliver(gateway.url, failed)

    const { status, history } = await getOrder(gateway.url, orderId)
    expect(status).toBe('paid')
    expect(history).toMatchObject([
      { from: 'pending', to: 'paid', fact: 'payment.succeeded', note: null },
      { from: 'paid', to: 'paid', event_id: failed.id, fact: 'payment.failed', note: 'payment.failed after succeeded: kept' },
    ])
  })
})
