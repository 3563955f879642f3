import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { claimLanes } from '../../src/outbox/lanes.ts'
import { findMessage, listMessages, type MessageFilter } from '../../src/outbox/list-messages.ts'
import { measureOutbox } from '../../src/outbox/measure-outbox.ts'
import { explain, recordSelects } from '../helpers/explain.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'

const MESSAGES = 50_000
const LIMIT = 51
const URL = 'http://shop/'

// Half of the messages are of one order. A thousand lanes wait for another attempt, and five are due; the last messages of these wait.
const STATEMENTS = [
  `insert into sluice.order_messages (message_id, order_id, sequence, type, body, correlation_id, created_at)
   select uuidv7(make_interval(secs => i - ${MESSAGES})), case when i % 2 = 0 then 'ord_frequent' else 'ord_' || i % 10000 end, i,
     'order.paid', '{}', 'c', now() + make_interval(secs => i - ${MESSAGES}) from generate_series(1, ${MESSAGES}) i`,
  `insert into sluice.message_dispatches (message_id, url, order_id, sequence, status, expires_at)
   select message_id, '${URL}', order_id, sequence,
     case when sequence % 10000 = 7 then 'dead' when sequence > ${MESSAGES - 2000} then 'waiting' else 'delivered' end, now()
   from sluice.order_messages`,
  `insert into sluice.dispatch_lanes (order_id, url, waiting, due_at)
   select order_id, '${URL}', count(*) filter (where status = 'waiting'),
     case when max(sequence) > ${MESSAGES - 10} then now() - interval '1 s' else now() + interval '1 h' end
   from sluice.message_dispatches group by order_id`,
  ...['order_messages', 'message_dispatches', 'dispatch_lanes'].map((table) => `vacuum analyze sluice.${table}`),
]

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ role: 'api' })
  gateway.context.backpressure.stop()
  for (const statement of STATEMENTS) await gateway.context.db.pool.query(statement)
})
afterAll(() => gateway.stop())

/** Each statement walks an index: it reads no table whole, sorts at most a page, and looks at few rows in vain. */
async function expectCheap(act: () => Promise<unknown>, visitedRows: number): Promise<void> {
  const statements = await recordSelects(act)
  expect(statements).not.toEqual([])
  for (const statement of statements) {
    const cost = await explain(gateway.context.db.pool, statement)
    const isCheap = cost.seqScans.length === 0 && cost.sortedRows <= LIMIT && cost.visitedRows <= visitedRows
    if (!isCheap) throw new Error(`${JSON.stringify({ ...cost, plan: undefined })}\n${statement.text}\n${cost.plan}`)
  }
}

describe('GET /api/messages walks an index', () => {
  const filters: [string, MessageFilter][] = [
    ['nothing', {}],
    ['a frequent order', { orderId: 'ord_frequent' }],
    ['a rare order', { orderId: 'ord_1' }],
    ['an order that nothing has', { orderId: 'unknown' }],
    ['a frequent status', { status: 'delivered' }],
    ['a rare status', { status: 'dead' }],
    ['a frequent order with a frequent status', { orderId: 'ord_frequent', status: 'delivered' }],
    ['a rare order with a rare status', { orderId: 'ord_7', status: 'dead' }],
  ]

  it.each(filters)('by %s', async (_what, filter) => {
    await expectCheap(() => listMessages(gateway.context.db, { filter, limit: LIMIT }), LIMIT * 50)
  })

  it.each(filters)('by %s on a page deep inside', async (_what, filter) => {
    const { rows } = await gateway.context.db.pool.query('select message_id from sluice.order_messages where sequence = $1', [MESSAGES / 5])

    await expectCheap(() => listMessages(gateway.context.db, { filter, limit: LIMIT, before: rows[0].message_id }), LIMIT * 50)
  })

  it('and finds one message by its id', async () => {
    const [story] = await listMessages(gateway.context.db, { filter: {}, limit: 1 })

    await expectCheap(() => findMessage(gateway.context.db, story?.message.messageId ?? ''), 10)
  })
})

describe('a relay', () => {
  it('looks only at lanes that are due, and at the first message of each', async () => {
    const { pool, schema } = gateway.context.db
    // Run twice, by the test and by EXPLAIN: with claims that have lapsed at once, both find the same.
    const now = new Date()
    const claim = () => claimLanes(pool, schema, { url: URL, limit: 20, now, until: now })

    expect(await claim()).toHaveLength(6)
    await expectCheap(claim, 40)
  })

  it('is measured by what has not been delivered', async () => {
    const { pool, schema } = gateway.context.db

    await expectCheap(() => measureOutbox(pool, schema, [URL]), 2100)
  })
})
