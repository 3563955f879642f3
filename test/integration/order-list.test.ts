import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, type Json } from '../helpers/api.ts'
import { listApi, listPages } from '../helpers/list-pages.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { waitUntil } from '../helpers/wait-until.ts'

const FIRST = Date.parse('2026-11-30T12:00:00.000Z')

let gateway: TestGateway
let seconds = 0
beforeAll(async () => {
  gateway = await startTestGateway({ overrides: { clock: () => new Date(FIRST + seconds * 1000) } })
})
afterAll(() => gateway.stop())

const timeOf = (second: number, milliseconds = 0) => new Date(FIRST + second * 1000 + milliseconds).toISOString()

/** Registers an order, a second after everything before; answers the second. */
async function register(orderId: string, expectedMinor = 2000): Promise<number> {
  seconds += 1
  const body = JSON.stringify({ currency: 'USD', expected_minor: expectedMinor, replace: true, reason: 'a test' })
  const { status } = await callApi(gateway.url, `/api/orders/${encodeURIComponent(orderId)}`, { method: 'PUT', body })
  expect([200, 201]).toContain(status)
  return seconds
}

async function pay(orderId: string, overrides: Record<string, unknown> = {}): Promise<void> {
  seconds += 1
  const event = buildEvent({ object: buildIntent({ metadata: { order_id: orderId }, ...overrides }) })
  await deliver(gateway.url, event, { timestamp: FIRST / 1000 + seconds })
  await waitUntil('it is paid', async () => (await callApi(gateway.url, `/api/orders/${orderId}`)).body.payments?.length > 0)
}

async function find(query: Record<string, string | number>): Promise<string[]> {
  const { status, body } = await listApi(gateway.url, '/api/orders', query)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.data.map((order: Json) => order.order_id)
}

describe('GET /api/orders', () => {
  it('shows each order as it is shown alone, but for its payments and history', async () => {
    const orderId = uniqueId('ord')
    await register(orderId)

    const { payments, history, ...summary } = (await callApi(gateway.url, `/api/orders/${orderId}`)).body
    const { body } = await listApi(gateway.url, '/api/orders', { limit: 1 })

    expect(body.data).toEqual([summary])
  })

  it('shows the last updated first', async () => {
    const [first, second] = [uniqueId('ord'), uniqueId('ord')]
    await register(first)
    await register(second)
    expect(await find({ limit: 2 })).toEqual([second, first])

    await pay(first)

    expect(await find({ limit: 2 })).toEqual([first, second])
  })

  it('finds by status', async () => {
    const [pending, paid, partly] = [uniqueId('ord'), uniqueId('ord'), uniqueId('ord')]
    await register(pending)
    await pay(paid)
    await register(partly, 5000)
    await pay(partly)

    const found = [await find({ status: 'pending', limit: 1 }), await find({ status: 'paid', limit: 1 })]
    expect([...found, await find({ status: 'partially_paid', limit: 1 })]).toEqual([[pending], [paid], [partly]])
    expect(await find({ status: 'canceled' })).toEqual([])
  })

  it('finds by one flag of several', async () => {
    const overpaid = uniqueId('ord')
    await register(overpaid, 1000)
    await pay(overpaid)

    expect(await find({ flag: 'overpaid' })).toEqual([overpaid])
    expect(await find({ flag: 'amount_mismatch', limit: 1 })).toEqual([overpaid])
    expect(await find({ flag: 'overpaid', status: 'pending' })).toEqual([])
  })

  it('finds by the time of the last update, with its beginning and without its end', async () => {
    const [first, second, third] = [uniqueId('ord'), uniqueId('ord'), uniqueId('ord')]
    const [from, , to] = [await register(first), await register(second), await register(third)]

    expect(await find({ updated_from: timeOf(from), updated_to: timeOf(to) })).toEqual([second, first])
    expect(await find({ updated_from: timeOf(from, 1), updated_to: timeOf(to, 1) })).toEqual([third, second])
    expect(await find({ updated_from: timeOf(to), updated_to: timeOf(from) })).toEqual([])
  })

  it.each(['1969-12-31T23:59:59Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'])('does not fail for the time %s', async (time) => {
    const all = await find({ limit: 1 })
    const isFuture = time > '2026'

    expect(await find({ updated_from: time, limit: 1 })).toEqual(isFuture ? [] : all)
    expect(await find({ updated_to: time, limit: 1 })).toEqual(isFuture ? all : [])
  })
})

describe('the pages of GET /api/orders', () => {
  it('show each of the old orders once, while new ones come', async () => {
    const old = Array.from({ length: 10 }, () => uniqueId('ord'))
    const from = seconds + 1
    for (const orderId of old) await register(orderId)

    const query = { limit: 3, updated_from: timeOf(from) }
    const pages = await listPages(gateway.url, '/api/orders', query, () => register(uniqueId('ord')))

    expect(pages.map(({ length }) => length)).toEqual([3, 3, 3, 1])
    expect(pages.flat().map(({ order_id }) => order_id)).toEqual(old.toReversed())
  })

  it('show each once when all were updated in one millisecond', async () => {
    seconds += 1
    const body = JSON.stringify({ currency: 'USD', expected_minor: 1 })
    const orderIds = Array.from({ length: 20 }, () => uniqueId('ord'))
    for (const orderId of orderIds) await callApi(gateway.url, `/api/orders/${orderId}`, { method: 'PUT', body })

    const shown = (await listPages(gateway.url, '/api/orders', { limit: 3, updated_from: timeOf(seconds) })).flat()

    expect(shown.map(({ order_id }) => order_id).sort()).toEqual(orderIds.sort())
  })

  it.each([
    ['letters of one byte', 'x'],
    ['letters of two bytes', 'Ж'],
    ['letters of three bytes', '注'],
    ['letters of four bytes', '🧾'],
    ['quotation marks', '"'],
  ])('go on below an order whose id is 255 %s', async (_what, letter) => {
    const orderIds = [`${letter.repeat(254)}1`, `${letter.repeat(254)}2`]
    const from = seconds + 1
    for (const orderId of orderIds) await register(orderId)

    const shown = (await listPages(gateway.url, '/api/orders', { limit: 1, updated_from: timeOf(from) })).flat()

    expect(shown.map(({ order_id }) => order_id)).toEqual(orderIds.toReversed())
  })
})

describe('GET /api/orders answers 400 when', () => {
  const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  it.each([
    ['the limit is 0', 'limit=0'],
    ['the limit is 201', 'limit=201'],
    ['the cursor is no cursor', 'cursor=abc'],
    ['the cursor is one of another list', `cursor=${cursor(['01900000-0000-7000-8000-000000000001'])}`],
    ['the cursor holds no time', `cursor=${cursor(['yesterday', 'ord_1'])}`],
    ['the cursor holds NUL', `cursor=${cursor(['2026-11-30T12:00:00.000Z', 'ord_\0'])}`],
    ['the status is unknown', 'status=lost'],
    ['a filter is empty', 'flag='],
    ['a filter stands twice', 'flag=a&flag=b'],
    ['a time is none', 'updated_from=yesterday'],
    ['a filter is misspelt', 'state=paid'],
  ])('%s', async (_what, query) => {
    const { status, body } = await callApi(gateway.url, `/api/orders?${query}`)

    expect({ status, code: body.code }).toEqual({ status: 400, code: 'request_invalid' })
  })
})

it('GET /api/orders answers 400 when a flag is none of ours, whatever it holds', async () => {
  for (const value of ['%00', 'a%00b', '%ff', '%ed%a0%80', "'%20or%201=1--", '{a,b}']) {
    const { status, body } = await callApi(gateway.url, `/api/orders?flag=${value}`)
    expect({ value, status, code: body.code }).toEqual({ value, status: 400, code: 'request_invalid' })
  }
})
