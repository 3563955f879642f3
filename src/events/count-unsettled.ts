import type { Database } from '../platform/database.ts'
import { firstMessageIdAt } from '../platform/message-id.ts'
import type { StatisticsSpan } from '../platform/queue-statistics.ts'

export type UnsettledPoint = { at: Date; parked: number; dead: number }

/** How many of the events that arrived in each span are parked or dead now; walks the index of the status, so it costs what there are of them. */
export async function countUnsettledByTime(
  { pool, schema }: Database,
  { from, to, bucketSeconds }: StatisticsSpan,
): Promise<UnsettledPoint[]> {
  const { rows } = await pool.query<UnsettledPoint>(
    `select date_bin(make_interval(secs => $3), received_at, 'epoch') as at,
       count(*) filter (where status = 'parked')::int as parked, count(*) filter (where status = 'dead')::int as dead
     from ${schema}.webhook_events
     where status in ('parked', 'dead') and message_id >= $1 and message_id < $2 group by 1 order by 1`,
    [firstMessageIdAt(from), firstMessageIdAt(to), bucketSeconds],
  )
  return rows
}

/** More of them are told as "at least". */
export const COUNT_LIMIT = 10_000

/** How many events are in a status, counted no further than the limit. */
export async function countWithStatus({ pool, schema }: Database, status: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from (select from ${schema}.webhook_events where status = $1 limit $2) e`,
    [status, COUNT_LIMIT],
  )
  return rows[0]?.count ?? 0
}
