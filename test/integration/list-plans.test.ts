import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { selectAuditIds } from '../../src/audit/audit-log.ts'
import type { EventFilter } from '../../src/events/event-filter.ts'
import { QUEUES } from '../../src/events/event-jobs.ts'
import { findBody, findEventStory } from '../../src/events/find-event.ts'
import { findJob } from '../../src/events/find-job.ts'
import { listEvents, selectIds } from '../../src/events/list-events.ts'
import { findOrder } from '../../src/orders/find-order.ts'
import { listOrders, type OrderFilter, type OrderPosition, selectOrderIds } from '../../src/orders/list-orders.ts'
import { listUnmatchedPayments, selectUnmatched } from '../../src/orders/list-payments.ts'
import { countWaiting, measureQueue } from '../../src/platform/measure-queue.ts'
import { explain, recordSelects, type Statement } from '../helpers/explain.ts'
import { EVENTS, generateHistory } from '../helpers/generate-history.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'

// A page, and the row that tells whether there is another; a filter may look at a few rows for each that it shows.
const LIMIT = 51
const ROWS_FOR_EACH_SHOWN = 20

let gateway: TestGateway
let middle: Date
beforeAll(async () => {
  gateway = await startTestGateway({ role: 'api' })
  // Its looks at the queue would be recorded among the statements of a test.
  gateway.context.backpressure.stop()
  await generateHistory(gateway.context.db.pool)
  middle = (await eventAt(EVENTS / 2)).received_at
})
afterAll(() => gateway.stop())

async function eventAt(index: number): Promise<{ message_id: string; received_at: Date }> {
  const select = 'select message_id::text, received_at from sluice.webhook_events where event_id = $1'
  return (await gateway.context.db.pool.query(select, [`evt_${index}`])).rows[0]
}

/** Each statement walks an index and stops: it reads no table whole, sorts at most a page, and looks at few rows in vain. */
async function expectCheap(statements: Statement[], visitedRows: number): Promise<void> {
  expect(statements).not.toEqual([])
  for (const statement of statements) {
    const cost = await explain(gateway.context.db.pool, statement)
    const isCheap = cost.seqScans.length === 0 && cost.sortedRows <= LIMIT && cost.visitedRows <= visitedRows
    if (!isCheap) throw new Error(`${JSON.stringify({ ...cost, plan: undefined })}\n${statement.text}\n${cost.plan}`)
  }
}

describe('GET /api/events walks an index', () => {
  const filters: [string, (at: Date) => EventFilter][] = [
    ['nothing', () => ({})],
    ['a frequent provider', () => ({ provider: 'stripe' })],
    ['a rare provider', () => ({ provider: 'rare' })],
    ['a frequent type', () => ({ type: 'payment_intent.succeeded' })],
    ['a type that has not come for long', () => ({ type: 'retired' })],
    ['a rare type', () => ({ type: 'rare' })],
    ['a frequent status', () => ({ status: 'processed' })],
    ['a rare status', () => ({ status: 'dead' })],
    ['a status that nothing has', () => ({ status: 'parked' })],
    ['the frequent mode', () => ({ livemode: true })],
    ['the rare mode', () => ({ livemode: false })],
    ['a reference of one event', () => ({ reference: 'pi_777' })],
    ['a rare reference', () => ({ reference: 'cus_rare' })],
    ['a frequent reference', () => ({ reference: 'cus_frequent' })],
    ['a reference that nothing has', () => ({ reference: 'cus_unknown' })],
    ['an order', () => ({ orderId: 'ord_777' })],
    ['an order of very many events', () => ({ orderId: 'ord_frequent' })],
    ['a beginning', (at) => ({ receivedFrom: at })],
    ['an end', (at) => ({ receivedTo: at })],
    ['a frequent type and a frequent status that never meet', () => ({ type: 'payment_intent.succeeded', status: 'ignored' })],
    ['a frequent type with a rare status', () => ({ type: 'payment_intent.succeeded', status: 'dead' })],
    ['a frequent provider, type, status and mode', () => ({ provider: 'stripe', type: 'other', status: 'processed', livemode: true })],
    ['a rare status until an end', (at) => ({ status: 'dead', receivedTo: at })],
    ['a frequent reference until an end', (at) => ({ reference: 'cus_frequent', receivedTo: at })],
    ['a frequent reference with a rare status', () => ({ reference: 'cus_frequent', status: 'dead' })],
    ['a frequent reference with a rare order', () => ({ reference: 'cus_frequent', orderId: 'ord_777' })],
    ['a frequent reference with a frequent order', () => ({ reference: 'cus_frequent', orderId: 'ord_frequent' })],
  ]

  it.each(filters)('by %s on the first page', async (_what, filter) => {
    await expectCheap([selectIds(gateway.context.db.schema, { filter: filter(middle), limit: LIMIT })], LIMIT * ROWS_FOR_EACH_SHOWN)
  })

  it.each(filters)('by %s on a page deep inside', async (_what, filter) => {
    const { message_id: before } = await eventAt(EVENTS / 5)

    await expectCheap([selectIds(gateway.context.db.schema, { filter: filter(middle), limit: LIMIT, before })], LIMIT * ROWS_FOR_EACH_SHOWN)
  })

  it('and reads the rows of a page by their ids', async () => {
    const statements = await recordSelects(() => listEvents(gateway.context.db, { filter: {}, limit: LIMIT }))

    expect(statements).toHaveLength(2)
    await expectCheap(statements, LIMIT)
  })
})

describe('GET /api/orders walks an index', () => {
  const filters: [string, (at: Date) => OrderFilter][] = [
    ['nothing', () => ({})],
    ['a frequent status', () => ({ status: 'paid' })],
    ['a rare status', () => ({ status: 'charged_back' })],
    ['a status that nothing has', () => ({ status: 'failed' })],
    ['a frequent flag', () => ({ flag: 'unregistered' })],
    ['a rare flag', () => ({ flag: 'overpaid' })],
    ['a flag that nothing has', () => ({ flag: 'unknown' })],
    ['a beginning', (at) => ({ updatedFrom: at })],
    ['an end', (at) => ({ updatedTo: at })],
    ['a frequent status with a rare flag', () => ({ status: 'paid', flag: 'overpaid' })],
    ['a rare status with a frequent flag', () => ({ status: 'charged_back', flag: 'unregistered' })],
    ['a frequent status with a frequent flag', () => ({ status: 'paid', flag: 'unregistered' })],
    ['a frequent flag until an end', (at) => ({ flag: 'unregistered', updatedTo: at })],
  ]

  async function orderAt(index: number): Promise<OrderPosition> {
    const select = 'select order_id as "orderId", updated_at as "updatedAt" from sluice.orders where order_id = $1'
    return (await gateway.context.db.pool.query(select, [`ord_${index}`])).rows[0]
  }

  it.each(filters)('by %s on the first page', async (_what, filter) => {
    await expectCheap([selectOrderIds(gateway.context.db.schema, { filter: filter(middle), limit: LIMIT })], LIMIT * ROWS_FOR_EACH_SHOWN)
  })

  it.each(filters)('by %s on a page deep inside', async (_what, filter) => {
    const before = await orderAt(EVENTS / 10)

    await expectCheap(
      [selectOrderIds(gateway.context.db.schema, { filter: filter(middle), limit: LIMIT, before })],
      LIMIT * ROWS_FOR_EACH_SHOWN,
    )
  })

  it('and reads the rows of a page by their ids', async () => {
    const statements = await recordSelects(() => listOrders(gateway.context.db, { filter: {}, limit: LIMIT }))

    expect(statements).toHaveLength(2)
    await expectCheap(statements, LIMIT)
  })
})

describe('GET /api/payments walks an index', () => {
  it.each([
    ['on the first page', () => undefined],
    ['on a page deep inside', () => ({ createdAt: middle, provider: 'stripe', objectKey: 'payment/pi_1' })],
  ])('%s', async (_what, before) => {
    await expectCheap([selectUnmatched(gateway.context.db.schema, { limit: LIMIT, before: before() })], LIMIT)
  })

  it('and reads the rows of a page by their ids', async () => {
    await expectCheap(await recordSelects(() => listUnmatchedPayments(gateway.context.db, { limit: LIMIT })), LIMIT)
  })
})

describe('GET /api/audit walks an index', () => {
  it.each([
    ['nothing', {}],
    ['a frequent actor', { actor: 'olga' }],
    ['a rare actor', { actor: 'rare' }],
    ['a rare action', { action: 'rare' }],
    ['a frequent actor on a page deep inside', { actor: 'olga', before: 1000n }],
  ])('by %s', async (_what, filter) => {
    await expectCheap([selectAuditIds(gateway.context.db.schema, { ...filter, limit: LIMIT })], LIMIT * ROWS_FOR_EACH_SHOWN)
  })
})

describe('a look-up by an id reads only what it shows', () => {
  it.each([
    ['an event by our id', async () => findEventStory(gateway.context.db, (await eventAt(777)).message_id)],
    ["an event by the provider's id", () => findEventStory(gateway.context.db, 'evt_777')],
    ["an event's body", async () => findBody(gateway.context.db, (await eventAt(777)).message_id)],
    ['a job', async () => findJob(gateway.context, (await eventAt(777)).message_id)],
    ['an order with its payments and history', () => findOrder(gateway.context.db, 'ord_777')],
  ])('%s', async (_what, find) => {
    const statements = await recordSelects(async () => expect(await find()).not.toBeNull())

    await expectCheap(statements, 10)
  })
})

describe('a look at the queue does not read the jobs that have ended', () => {
  const schema = '"sluice_queue"'
  it.each([
    ['to count what waits', () => countWaiting(gateway.context.db.pool, { schema, name: QUEUES.processEvent }, 100)],
    ['to measure it', () => measureQueue(gateway.context.db.pool, { schema, name: QUEUES.processEvent, deadLetter: QUEUES.deadEvents })],
    ['for one job', async () => gateway.context.queue.findJobs(QUEUES.processEvent, { id: (await eventAt(777)).message_id })],
  ])('%s', async (_what, look) => {
    await expectCheap(await recordSelects(look), 10)
  })
})
