import type { Queryable } from '../platform/database.ts'

export type OutboxMeasure = { waiting: number; dead: number; oldestWaitingSeconds: number | null }

/** Messages on their way to these receivers; one that waits for two counts twice. */
export async function measureOutbox(db: Queryable, schema: string, urls: string[]): Promise<OutboxMeasure> {
  const { rows } = await db.query<OutboxMeasure>(
    `select count(*) filter (where status = 'waiting')::int as waiting, count(*) filter (where status = 'dead')::int as dead,
       (select extract(epoch from now() - created_at)::float8 from ${schema}.order_messages where message_id = (
          select message_id from ${schema}.message_dispatches where status = 'waiting' and url = any($1) order by message_id limit 1
        )) as "oldestWaitingSeconds"
     from ${schema}.message_dispatches where status in ('waiting', 'dead') and url = any($1)`,
    [urls],
  )
  if (!rows[0]) throw new Error('A count answered no row')
  return rows[0]
}
