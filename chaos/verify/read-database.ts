import pg from 'pg'
import { waitUntil } from '../../test/helpers/wait-until.ts'
import type { StoredEvent } from './judge-events.ts'
import type { OrderSeen } from './judge-orders.ts'

type StoredOrder = { orderId: string; sequence: number; history: OrderSeen['history'] }
export type Stored = { events: StoredEvent[]; orders: StoredOrder[]; unmatched: string[]; left: string[] }

const EVENTS = `
  select e.event_id as "eventId", e.message_id as "messageId", e.status, b.digests,
    coalesce(a.jobs, 0) as jobs, coalesce(a.successes, 0) as successes, coalesce(h.changes, 0) as changes
  from sluice.webhook_events e
  left join (select message_id, array_agg(encode(sha256(body), 'hex')) as digests from sluice.event_bodies group by 1) b using (message_id)
  left join (
    select message_id, count(distinct job_id)::int as jobs, count(*)::int as successes
    from sluice.event_attempts where outcome = 'succeeded' group by 1
  ) a using (message_id)
  left join (
    select message_id, max(times)::int as changes from (
      select message_id, order_id, count(*) as times from sluice.order_history where note is null group by 1, 2
    ) each group by 1
  ) h using (message_id)`

const ORDERS = `
  select order_id as "orderId", sequence, (
    select coalesce(json_agg(json_build_object('from', "from", 'to', "to") order by id), '[]')
    from sluice.order_history h where h.order_id = o.order_id and note is null
  ) as history
  from sluice.orders o`

/** What still waits: events, jobs and messages, by their state. */
const LEFT = `
  select what || ' ' || state || ': ' || count(*) as "left" from (
    select 'events' as what, status as state from sluice.webhook_events where status = 'received'
    union all select 'jobs', state::text from sluice_queue.job where name = 'process-event' and state < 'completed'
    union all select 'messages', status from sluice.message_dispatches where status = 'waiting'
  ) waiting group by what, state`

/** Waits until nothing waits any more; what does after the limit is found by those who judge. */
export async function drain(databaseUrl: string, limitMs: number): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const isEmpty = async () => (await client.query(LEFT)).rowCount === 0
    await waitUntil('nothing waits', isEmpty, limitMs).catch(() => {})
  })
}

export function readDatabase(databaseUrl: string): Promise<Stored> {
  return withClient(databaseUrl, async (client) => ({
    events: (await client.query<StoredEvent>(EVENTS)).rows,
    orders: (await client.query<StoredOrder>(ORDERS)).rows,
    unmatched: (await client.query('select payment_id from sluice.payments where order_id is null')).rows.map((row) => row.payment_id),
    left: (await client.query(LEFT)).rows.map((row) => row.left),
  }))
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
