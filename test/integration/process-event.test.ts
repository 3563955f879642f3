import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, getOrder, type Json } from '../helpers/api.ts'
import { processInTurn } from '../helpers/process-in-turn.ts'
import { buildEvent, buildIntent, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'

describe('the events of an order', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  const process = (event: { id: string }) => processInTurn(gateway.url, [event])

  function register(orderId: string, expectedMinor: number) {
    const body = JSON.stringify({ currency: 'USD', expected_minor: expectedMinor })
    return callApi(gateway.url, `/api/orders/${orderId}`, { method: 'PUT', body })
  }

  const created = Math.floor(Date.now() / 1000) - 100
  const orders = ['C S R', 'C R S', 'S C R', 'S R C', 'R C S', 'R S C']
  it.each(orders)('end in the same order when they arrive as %s', async (letters) => {
    const [orderId, intent, charge] = [uniqueId('ord'), uniqueId('pi'), uniqueId('ch')]
    const metadata = { order_id: orderId }
    const object = buildIntent({ id: intent, metadata })
    const refunded = { id: charge, object: 'charge', amount: 2000, amount_captured: 2000, amount_refunded: 2000, currency: 'usd', metadata }
    const events: Record<string, { id: string }> = {
      C: buildEvent({ type: 'payment_intent.created', created, object: { ...object, amount_received: 0 } }),
      S: buildEvent({ type: 'payment_intent.succeeded', created: created + 1, object }),
      R: buildEvent({ type: 'charge.refunded', created: created + 2, object: { ...refunded, payment_intent: intent } }),
    }

    for (const letter of letters.split(' ')) await process(events[letter] as { id: string })

    expect(await getOrder(gateway.url, orderId)).toMatchObject({
      status: 'refunded',
      currency: 'USD',
      paid_minor: 2000,
      refunded_minor: 2000,
      flags: ['unregistered'],
      payments: [{ payment_id: intent, status: 'refunded', amount_minor: 2000, received_minor: 2000, refunded_minor: 2000 }],
    })
  })

  it('pay it once when a session, a charge, an intent and its copies are processed together', async () => {
    const [orderId, intent, session] = [uniqueId('ord'), uniqueId('pi'), uniqueId('cs')]
    const object = buildIntent({ id: intent, metadata: { order_id: orderId } })
    const checkout = { id: session, object: 'checkout.session', amount_total: 2000, currency: 'usd', payment_intent: intent }
    const charge = { id: uniqueId('ch'), object: 'charge', metadata: { order_id: orderId } }
    const events = [
      buildEvent({ object }),
      buildEvent({ object }),
      buildEvent({ type: 'checkout.session.completed', object: { ...checkout, payment_status: 'paid', client_reference_id: orderId } }),
      buildEvent({ type: 'payment_intent.created', object }),
      buildEvent({
        type: 'charge.succeeded',
        object: { ...charge, amount: 2000, captured: true, currency: 'usd', payment_intent: intent },
      }),
    ]

    await Promise.all(events.map(process))

    const order = await getOrder(gateway.url, orderId)
    expect(order).toMatchObject({ status: 'paid', paid_minor: 2000, payments: [{ payment_id: intent, received_minor: 2000 }] })
    expect(order.history.filter(({ to }: Json) => to === 'paid')).toHaveLength(1)
  })

  it.each([
    ['{}', {}],
    ['an empty id', { order_id: '' }],
    ['an id of 10 KB', { order_id: 'x'.repeat(10_240) }],
    ['an id that is a number', { order_id: 7 }],
  ])('are processed once as order_not_named when the metadata is %s', async (_what, metadata) => {
    const event = buildEvent({ object: buildIntent({ metadata }) })

    const story = await process(event)

    expect(story).toMatchObject({ status: 'processed', reason: 'order_not_named', order_ids: [], attempts: [{ outcome: 'succeeded' }] })
    expect(story.attempts).toHaveLength(1)
  })

  it('name an order __proto__ as any other', async () => {
    const event = buildEvent({ object: buildIntent({ metadata: { order_id: '__proto__' } }) })

    expect(await process(event)).toMatchObject({ status: 'processed', reason: null, order_ids: ['__proto__'] })
    expect(await getOrder(gateway.url, '__proto__')).toMatchObject({ order_id: '__proto__', status: 'paid' })
  })

  it('pay it when a session names the order after the money came', async () => {
    const [orderId, intent] = [uniqueId('ord'), uniqueId('pi')]
    const session = { id: uniqueId('cs'), object: 'checkout.session', amount_total: 2000, currency: 'usd', payment_status: 'paid' }
    await process(buildEvent({ object: buildIntent({ id: intent }) }))
    const completed = { ...session, payment_intent: intent, client_reference_id: orderId }

    const story = await process(buildEvent({ type: 'checkout.session.completed', object: completed }))

    expect(story).toMatchObject({ status: 'processed', reason: null, order_ids: [orderId] })
    const order = await getOrder(gateway.url, orderId)
    expect(order).toMatchObject({ status: 'paid', paid_minor: 2000, payments: [{ payment_id: intent, received_minor: 2000 }] })
    expect(order.history).toHaveLength(1)
  })

  it('pay an order that is registered after the money came', async () => {
    const orderId = uniqueId('ord')
    await process(buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) }))
    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'paid', expected_minor: null, flags: ['unregistered'] })

    const answer = await register(orderId, 2000)

    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ order_id: orderId, status: 'paid', expected_minor: 2000, paid_minor: 2000, flags: [] })
  })

  it('pay an order that was registered before the money came', async () => {
    const orderId = uniqueId('ord')
    expect((await register(orderId, 2000)).body).toMatchObject({ status: 'pending', currency: 'USD', payments: [] })

    await process(buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) }))

    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'paid', expected_minor: 2000, flags: [] })
  })

  it.each([
    ['less than was registered', 10_000, 'usd', { status: 'partially_paid', flags: ['amount_mismatch'] }],
    ['more than was registered', 1000, 'usd', { status: 'paid', flags: ['amount_mismatch', 'overpaid'] }],
    ['of another currency', 2000, 'jpy', { status: 'pending', flags: ['amount_mismatch', 'currency_mismatch'], paid_minor: 0 }],
  ])('flag it when the money is %s', async (_what, expectedMinor, currency, expected) => {
    const orderId = uniqueId('ord')
    await register(orderId, expectedMinor)

    await process(buildEvent({ object: buildIntent({ currency, metadata: { order_id: orderId } }) }))

    expect(await getOrder(gateway.url, orderId)).toMatchObject(expected)
  })

  it.each([
    ['payment.succeeded', { amount_received: 2000 }, 'paid'],
    ['payment.failed', { amount_received: 0, status: 'requires_payment_method' }, 'failed'],
  ])('may have the generic name %s', async (type, overrides, status) => {
    const orderId = uniqueId('ord')

    await process(buildEvent({ type, object: buildIntent({ metadata: { order_id: orderId }, ...overrides }) }))

    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status, history: [{ from: 'pending', to: status, fact: type }] })
  })

  it('may have the generic name payment.refunded', async () => {
    const [orderId, intent] = [uniqueId('ord'), uniqueId('pi')]
    const metadata = { order_id: orderId }
    const charge = { id: uniqueId('ch'), object: 'charge', amount: 2000, amount_captured: 2000, currency: 'usd', payment_intent: intent }

    await process(buildEvent({ type: 'payment.succeeded', object: buildIntent({ id: intent, metadata }) }))
    await process(buildEvent({ type: 'payment.refunded', object: { ...charge, amount_refunded: 500, metadata } }))
    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'partially_refunded', refunded_minor: 500 })
    await process(buildEvent({ type: 'payment.refunded', object: { ...charge, amount_refunded: 2000, metadata } }))

    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'refunded', refunded_minor: 2000 })
  })

  it('show who caused each change of it', async () => {
    const orderId = uniqueId('ord')
    const event = buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) })

    const story = await process(event)

    const { history } = await getOrder(gateway.url, orderId)
    expect(history).toEqual([
      {
        at: expect.any(String),
        from: 'pending',
        to: 'paid',
        message_id: story.message_id,
        event_id: event.id,
        fact: 'payment.succeeded',
        note: null,
        replay_id: null,
        correlation_id: story.correlation_id,
        causation_id: story.message_id,
      },
    ])
  })
})
