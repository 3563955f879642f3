import type { Queryable } from './database.ts'

export type QueueMeasure = { ready: number; active: number; retrying: number; dead: number; oldestReadySeconds: number | null }
export type MeasuredQueue = { schema: string; name: string; deadLetter: string }

// Spelt as lists, the states match an index of pg-boss's; as a comparison they would read every finished job.
// pg-boss's own counts are only as fresh as the last pass of a worker, and it is while no worker runs that they matter.
export async function measureQueue(db: Queryable, { schema, name, deadLetter }: MeasuredQueue): Promise<QueueMeasure> {
  const { rows } = await db.query<Record<'ready' | 'active' | 'retrying' | 'dead', string> & { oldest: number | null }>(
    `select count(*) filter (where name = $1 and state = 'created') as ready,
       count(*) filter (where name = $1 and state = 'retry') as retrying,
       count(*) filter (where name = $1 and state = 'active') as active,
       count(*) filter (where name = $2 and state < 'active') as dead,
       extract(epoch from now() - min(start_after) filter (where name = $1 and state < 'active' and start_after <= now()))::float8 as oldest
     from ${schema}.job where name in ($1, $2) and state in ('created', 'retry', 'active')`,
    [name, deadLetter],
  )
  const row = rows[0]
  if (!row) throw new Error('A count answered no row')
  return {
    ready: Number(row.ready),
    active: Number(row.active),
    retrying: Number(row.retrying),
    dead: Number(row.dead),
    oldestReadySeconds: row.oldest,
  }
}

/** How many jobs wait, counted no further than the limit: the answer `limit` means at least that many. */
export async function countWaiting(
  db: Queryable,
  { schema, name }: Pick<MeasuredQueue, 'schema' | 'name'>,
  limit: number,
): Promise<number> {
  const { rows } = await db.query<{ waiting: number }>(
    `select count(*)::int as waiting from (select from ${schema}.job where name = $1 and state in ('created', 'retry') limit $2) w`,
    [name, limit],
  )
  return rows[0]?.waiting ?? 0
}
