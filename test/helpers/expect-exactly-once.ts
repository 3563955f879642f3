import { expect } from '@jest/globals'
import pg from 'pg'
import type { Load } from './payment-load.ts'
import { waitUntil } from './wait-until.ts'

type EventRow = { event_id: string; status: string; rows: number; successes: number; failures: number; history: number }
type OrderRow = { order_id: string; paid_minor: string; history: number }

const EVENTS = `
  select e.event_id, min(e.status) as status, count(*)::int as rows,
    sum((select count(*) from sluice.event_attempts a where a.message_id = e.message_id and a.outcome = 'succeeded'))::int as successes,
    sum((select count(*) from sluice.event_attempts a where a.message_id = e.message_id and a.outcome = 'failed'))::int as failures,
    sum((select count(*) from sluice.order_history h where h.message_id = e.message_id))::int as history
  from sluice.webhook_events e group by e.event_id`

const ORDERS = `
  select order_id, paid_minor::text, (select count(*) from sluice.order_history h where h.order_id = o.order_id)::int as history
  from sluice.orders o`

/** Waits until every stored event has had its end; says how the jobs of the others stand when it waits in vain. */
export async function waitUntilProcessed(database: pg.Client, limitMs?: number): Promise<void> {
  const isDone = async () => (await database.query(`select from sluice.webhook_events where status = 'received' limit 1`)).rowCount === 0
  await waitUntil('no event is `received`', isDone, limitMs).catch(async (cause: unknown) => {
    const { rows } = await database.query(WAITING)
    throw new Error(`Events are still \`received\` and wait: ${JSON.stringify(rows, null, 2)}`, { cause })
  })
}

const WAITING = `
  select j.state, j.retry_count, j.output, count(*)::int as events, now() as now, min(j.start_after) as start_after,
    min(j.started_on) as started_on, max(j.heartbeat_on) as heartbeat_on, min(e.received_at) as received_at
  from sluice.webhook_events e left join sluice_queue.job j on j.id = e.message_id
  where e.status = 'received' group by 1, 2, 3`

/** Everything that was answered 2xx is processed, and everything that was stored had its effect exactly once. */
export async function expectExactlyOnce(database: pg.Client, { sent, answered, unexpected }: Load): Promise<void> {
  const { rows: events } = await database.query<EventRow>(EVENTS)
  const { rows: orders } = await database.query<OrderRow>(ORDERS)
  const stored = new Set(events.map((row) => row.event_id))

  expect(unexpected).toEqual([])
  expect([...answered].filter((id) => !stored.has(id))).toEqual([])
  expect(events.filter((row) => !isExactlyOnce(row, sent.get(row.event_id)?.isPayment === true))).toEqual([])
  expect(orders.map(toTotal).sort()).toEqual(expectedTotals(sent, stored).sort())
}

function isExactlyOnce({ status, rows, successes, failures, history }: EventRow, isPayment: boolean): boolean {
  return status === 'processed' && rows === 1 && successes === 1 && failures === 0 && history === (isPayment ? 1 : 0)
}

function toTotal({ order_id: orderId, paid_minor: paidMinor, history }: OrderRow): string {
  return `${orderId}: ${paidMinor} paid, ${history} changes`
}

/** What each order must have received, from what was sent and stored: every payment is another one. */
function expectedTotals(sent: Load['sent'], stored: Set<string>): string[] {
  const totals = new Map<string, { paidMinor: bigint; changes: number }>()
  for (const id of stored) {
    const event = sent.get(id)
    if (!event) throw new Error(`${id} was stored, and never sent`)
    const total = totals.get(event.orderId) ?? { paidMinor: 0n, changes: 0 }
    totals.set(event.orderId, { paidMinor: total.paidMinor + event.amountMinor, changes: total.changes + (event.isPayment ? 1 : 0) })
  }
  return [...totals].map(([orderId, { paidMinor, changes }]) => `${orderId}: ${paidMinor} paid, ${changes} changes`)
}

/** The ids of events that came so many times, succeeded once and changed their order once. */
export async function listProcessedOnce(database: pg.Client, { copies }: { copies: number }): Promise<string[]> {
  const { rows } = await database.query<{ event_id: string }>(
    `select event_id from sluice.webhook_events e join sluice.event_attempts a using (message_id)
     join sluice.order_history h using (message_id) where status = 'processed' and duplicate_count = $1 and outcome = 'succeeded'`,
    [copies - 1],
  )
  return rows.map((row) => row.event_id)
}

export async function connectTo(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
