import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, type Json, waitForEvent } from '../helpers/api.ts'
import { listApi, listPages } from '../helpers/list-pages.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'

// Every event arrives in a second of its own, so that times can be told apart.
const FIRST = Date.parse('2026-11-30T12:00:00.000Z')

let gateway: TestGateway
let arrivals = 0
beforeAll(async () => {
  gateway = await startTestGateway({ overrides: { clock: () => new Date(FIRST + arrivals * 1000) } })
})
afterAll(() => gateway.stop())

const secondOf = (arrival: number, milliseconds = 0) => new Date(FIRST + arrival * 1000 + milliseconds).toISOString()

type Arrival = { id: string; arrival: number }

/** Delivers an event and waits for its end; its signature is of now, by the gateway's clock. */
async function arrive(overrides: Parameters<typeof buildEvent>[0] = {}): Promise<Arrival> {
  arrivals += 1
  const arrival = arrivals
  const event = buildEvent(overrides)
  const { status } = await deliver(gateway.url, event, { timestamp: FIRST / 1000 + arrival })
  expect(status).toBe(202)
  await waitForEvent(gateway.url, event.id)
  return { id: event.id, arrival }
}

async function find(query: Record<string, string | number>): Promise<string[]> {
  const { status, body } = await listApi(gateway.url, '/api/events', query)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.data.map((event: Json) => event.event_id)
}

describe('GET /api/events', () => {
  it('shows each event as it is shown alone, but for its story', async () => {
    const { id } = await arrive()

    const { attempts, order_ids, references, replays, facts, changes, messages, ...summary } = (
      await callApi(gateway.url, `/api/events/${id}`)
    ).body
    const { body } = await listApi(gateway.url, '/api/events', { limit: 1 })

    expect(body.data).toEqual([summary])
    expect(Object.keys(body)).toEqual(['data', 'next_cursor'])
  })

  it('shows the newest first', async () => {
    const ids = [(await arrive()).id, (await arrive()).id, (await arrive()).id]

    expect(await find({ limit: 3 })).toEqual(ids.toReversed())
  })

  it('shows an empty list, and no next page, when nothing is found', async () => {
    const { body } = await listApi(gateway.url, '/api/events', { reference: uniqueId('pi') })

    expect(body).toEqual({ data: [], next_cursor: null })
  })
})

describe('GET /api/events finds by', () => {
  it.each(['payment_intent.canceled', 'an.unknown.type'])('type %s', async (type) => {
    const { id } = await arrive({ type })

    expect(await find({ type })).toEqual([id])
  })

  it('provider', async () => {
    const { id } = await arrive()

    expect(await find({ provider: 'stripe', limit: 1 })).toEqual([id])
    expect(await find({ provider: 'adyen' })).toEqual([])
  })

  it('each status', async () => {
    const [processed, ignored] = [await arrive(), await arrive({ type: 'wake.up' })]

    expect(await find({ status: 'processed', limit: 1 })).toEqual([processed.id])
    expect(await find({ status: 'ignored', limit: 1 })).toEqual([ignored.id])
    for (const status of ['received', 'parked', 'dead']) expect(await find({ status })).toEqual([])
  })

  it('livemode, and does not show events that say neither', async () => {
    const [live, test, silent] = [await arrive({ livemode: true }), await arrive(), await arrive({ livemode: null })]

    expect(await find({ livemode: 'true' })).toEqual([live.id])
    const tests = await find({ livemode: 'false', limit: 200 })
    expect(tests).toContain(test.id)
    expect(tests).not.toContain(silent.id)
  })

  it('the order that an event names', async () => {
    const orderId = uniqueId('ord')
    const [first, second] = [
      await arrive({ object: buildIntent({ metadata: { order_id: orderId } }) }),
      await arrive({ object: buildIntent({ metadata: { order_id: orderId } }) }),
    ]

    expect(await find({ order_id: orderId })).toEqual([second.id, first.id])
    expect(await find({ order_id: orderId.toUpperCase() })).toEqual([])
  })

  it('the order that an event changed although it does not name it', async () => {
    const [orderId, intent] = [uniqueId('ord'), uniqueId('pi')]
    const paid = await arrive({ object: buildIntent({ id: intent, metadata: { order_id: orderId } }) })
    const charge = { id: uniqueId('ch'), object: 'charge', amount: 2000, amount_refunded: 2000, currency: 'usd', payment_intent: intent }
    const refunded = await arrive({ type: 'charge.refunded', object: charge })

    expect((await callApi(gateway.url, `/api/events/${refunded.id}`)).body.order_ids).toEqual([orderId])
    expect(await find({ order_id: orderId })).toEqual([refunded.id, paid.id])
  })

  it('no order whose id stands there as another reference', async () => {
    const customer = uniqueId('cus')
    await arrive({ object: buildIntent({ customer }) })

    expect(await find({ order_id: customer })).toEqual([])
  })

  const intent = uniqueId('pi')
  it.each([
    ['a payment intent', 'payment_intent.succeeded', intent, { id: intent, object: 'payment_intent' }],
    ['a charge', 'charge.updated', 'ch_1', { id: 'ch_1', object: 'charge' }],
    ['the charge of a payment intent', 'payment_intent.succeeded', 'ch_2', buildIntent({ latest_charge: 'ch_2' })],
    ['a session', 'checkout.session.completed', 'cs_1', { id: 'cs_1', object: 'checkout.session' }],
    ['an invoice', 'invoice.paid', 'in_1', { id: 'in_1', object: 'invoice' }],
    ['a subscription', 'invoice.paid', 'sub_1', { id: 'in_2', object: 'invoice', subscription: 'sub_1' }],
    ['a refund', 'refund.created', 're_1', { id: 're_1', object: 'refund', charge: 'ch_3' }],
    ['a dispute', 'charge.dispute.created', 'dp_1', { id: 'dp_1', object: 'dispute', charge: 'ch_4' }],
    ['a customer', 'customer.created', 'cus_1', { id: 'cus_1', object: 'customer' }],
    ['an e-mail', 'payment_intent.succeeded', 'ada@example.com', buildIntent({ receipt_email: 'Ada@Example.com' })],
    ['an e-mail in another case', 'customer.updated', 'BOB@example.COM', { id: 'cus_2', object: 'customer', email: 'bob@Example.com' }],
  ])('the reference of %s', async (_what, type, reference, object) => {
    const { id } = await arrive({ type, object })

    expect(await find({ reference })).toEqual([id])
    expect(await find({ reference: reference.slice(0, -1) })).toEqual([])
  })

  it('an object that a person expanded, by its id', async () => {
    const [customer, charge] = [uniqueId('cus'), uniqueId('ch')]
    const expanded = { customer: { id: customer, object: 'customer' }, latest_charge: { id: charge, object: 'charge' } }
    const { id } = await arrive({ object: buildIntent(expanded) })

    expect([await find({ reference: customer }), await find({ reference: charge })]).toEqual([[id], [id]])
  })

  it('a reference that an event holds twice, and shows it once', async () => {
    const same = uniqueId('cus')
    const { id } = await arrive({ object: buildIntent({ customer: same, metadata: { order_id: same } }) })

    expect(await find({ reference: same })).toEqual([id])
    expect(await find({ reference: same, order_id: same })).toEqual([id])
  })

  it('the time of arrival, with its beginning and without its end', async () => {
    const [first, second, third] = [await arrive(), await arrive(), await arrive()]
    const between = (from: string, to: string) => find({ received_from: from, received_to: to })

    expect(await between(secondOf(first.arrival), secondOf(third.arrival))).toEqual([second.id, first.id])
    expect(await between(secondOf(first.arrival, 1), secondOf(third.arrival, 1))).toEqual([third.id, second.id])
    expect(await find({ received_from: secondOf(third.arrival) })).toEqual([third.id])
    expect(await between(secondOf(third.arrival), secondOf(first.arrival))).toEqual([])
  })

  it.each(['1970-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '1900-01-01T00:00:00Z', '0001-01-01T00:00:00Z'])(
    'a time from which everything has arrived: %s',
    async (time) => {
      const { id } = await arrive()

      expect(await find({ received_from: time, limit: 1 })).toEqual([id])
      expect(await find({ received_to: time, limit: 1 })).toEqual([])
    },
  )

  it('the end of the year 9999, until which everything has arrived', async () => {
    const { id } = await arrive()

    expect(await find({ received_to: '9999-12-31T23:59:59.999Z', limit: 1 })).toEqual([id])
    expect(await find({ received_from: '9999-12-31T23:59:59.999Z', limit: 1 })).toEqual([])
  })

  it('every filter together, and nothing when one of them does not hold', async () => {
    const [orderId, customer] = [uniqueId('ord'), uniqueId('cus')]
    const { id, arrival } = await arrive({ object: buildIntent({ customer, metadata: { order_id: orderId } }) })
    const subject = { provider: 'stripe', type: 'payment_intent.succeeded', status: 'processed', livemode: 'false' }
    const all = { ...subject, order_id: orderId, reference: customer, received_from: secondOf(arrival), received_to: secondOf(arrival + 1) }

    expect(await find(all)).toEqual([id])
    const others = [{ provider: 'adyen' }, { type: 'a.b' }, { status: 'dead' }, { livemode: 'true' }, { order_id: 'x' }, { reference: 'x' }]
    for (const other of [...others, { received_from: secondOf(arrival + 1) }, { received_to: secondOf(arrival) }])
      expect(await find({ ...all, ...other })).toEqual([])
  })
})

describe('the pages of GET /api/events', () => {
  it('show each of the old events once, while new ones arrive', async () => {
    const customer = uniqueId('cus')
    const object = () => buildIntent({ customer })
    const old: string[] = []
    for (let index = 0; index < 10; index += 1) old.push((await arrive({ object: object() })).id)

    const pages = await listPages(gateway.url, '/api/events', { limit: 3, reference: customer }, () => arrive({ object: object() }))

    expect(pages.map(({ length }) => length)).toEqual([3, 3, 3, 1])
    expect(pages.flat().map(({ event_id }) => event_id)).toEqual(old.toReversed())
  })

  it('show each once when all arrive in one millisecond', async () => {
    const customer = uniqueId('cus')
    arrivals += 1
    const events = Array.from({ length: 20 }, () => buildEvent({ object: buildIntent({ customer }) }))
    await Promise.all(events.map((event) => deliver(gateway.url, event, { timestamp: FIRST / 1000 + arrivals })))
    for (const { id } of events) await waitForEvent(gateway.url, id)

    const shown = (await listPages(gateway.url, '/api/events', { limit: 3, reference: customer })).flat()

    expect(shown.map(({ event_id }) => event_id).sort()).toEqual(events.map(({ id }) => id).sort())
  })

  it('end without an empty one when the last is full', async () => {
    const customer = uniqueId('cus')
    for (let index = 0; index < 4; index += 1) await arrive({ object: buildIntent({ customer }) })

    const pages = await listPages(gateway.url, '/api/events', { limit: 2, reference: customer })

    expect(pages.map(({ length }) => length)).toEqual([2, 2])
  })

  it('have 50 events unless told otherwise, and up to 200', async () => {
    const event = () => deliver(gateway.url, buildEvent({ type: 'of.many' }), { timestamp: FIRST / 1000 + arrivals })
    await Promise.all(Array.from({ length: 205 }, event))

    expect(await find({ type: 'of.many' })).toHaveLength(50)
    expect(await find({ type: 'of.many', limit: 200 })).toHaveLength(200)
    expect(await find({ type: 'of.many', limit: 1 })).toHaveLength(1)
  })
})

describe('GET /api/events answers 400 when', () => {
  const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  it.each([
    ['the limit is 0', 'limit=0'],
    ['the limit is 201', 'limit=201'],
    ['the limit is negative', 'limit=-1'],
    ['the limit is a fraction', 'limit=1.5'],
    ['the limit is a word', 'limit=many'],
    ['the limit is empty', 'limit='],
    ['the limit stands twice', 'limit=1&limit=2'],
    ['the cursor is no cursor', 'cursor=abc'],
    ['the cursor is empty', 'cursor='],
    ['the cursor is JSON of another kind', `cursor=${cursor({ id: randomUUID() })}`],
    ['the cursor holds no UUID', `cursor=${cursor(['1'])}`],
    ['the cursor is one of another list', `cursor=${cursor([secondOf(0), 'ord_1'])}`],
    ['the cursor is endless', `cursor=${'a'.repeat(1001)}`],
    ['the status is unknown', 'status=lost'],
    ['the livemode is neither', 'livemode=yes'],
    ['a filter is empty', 'type='],
    ['a filter stands twice', 'type=a&type=b'],
    ['a filter is endless', `reference=${'a'.repeat(256)}`],
    ['a time is none', 'received_from=yesterday'],
    ['a time is only a day', 'received_to=2026-11-30'],
    ['a time does not exist', 'received_from=2026-02-30T00:00:00Z'],
    ['a time has no zone', 'received_from=2026-11-30T00:00:00'],
    ['a filter is misspelt', 'recieved_from=2026-11-30T00:00:00Z'],
    ['a filter is written as a list', 'status[]=dead'],
  ])('%s', async (_what, query) => {
    const { status, body } = await callApi(gateway.url, `/api/events?${query}`)

    expect({ status, code: body.code }).toEqual({ status: 400, code: 'request_invalid' })
  })

  it('several things are wrong, and names them all without a value of them', async () => {
    const { body } = await callApi(gateway.url, '/api/events?limit=999&status=secret-value&livemode=2')

    expect(body.detail).toMatch(/limit.*status.*livemode/)
    expect(body.detail).not.toContain('secret-value')
  })
})

describe('GET /api/events never fails, when', () => {
  it.each(['provider', 'type', 'order_id', 'reference'])('%s holds what no text in the database can', async (name) => {
    for (const value of ['%ff', '%ed%a0%80', '%F0%9F%A7%BE', "'%20or%201=1--", '%25', '__proto__']) {
      const { status, body } = await callApi(gateway.url, `/api/events?${name}=${value}`)
      expect({ value, status, body }).toMatchObject({ value, status: 200, body: { data: [], next_cursor: null } })
    }
    const { status, body } = await callApi(gateway.url, `/api/events?${name}=a%00b`)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'request_invalid' })
  })
})
