import { Prisma } from '../generated/prisma/client.ts'
import type { Database } from '../platform/database.ts'
import type { EventFilter } from './event-filter.ts'
import { selectMatching } from './list-events.ts'

export type EventCounts = { matched: number; byType: Record<string, number>; byStatus: Record<string, number> }

/** How many events a filter matches, by type and by status. Reads all of them, so it is for a person who asks once. */
export function countEvents(db: Database, filter: EventFilter): Promise<EventCounts> {
  return count(db, selectMatching(db.schema, { filter }))
}

export function countEventsOf(db: Database, messageIds: string[]): Promise<EventCounts> {
  return count(db, Prisma.sql`select unnest(${messageIds}::uuid[])`)
}

async function count({ prisma, schema }: Database, messageIds: Prisma.Sql): Promise<EventCounts> {
  const events = Prisma.raw(`${schema}.webhook_events`)
  const rows = await prisma.$queryRaw<{ type: string; status: string; count: bigint }[]>(Prisma.sql`
    select e.type, e.status, count(*) from ${events} e where e.message_id in (${messageIds}) group by e.type, e.status`)
  const counts: EventCounts = { matched: 0, byType: {}, byStatus: {} }
  for (const { type, status, count: some } of rows) {
    counts.matched += Number(some)
    counts.byType[type] = (counts.byType[type] ?? 0) + Number(some)
    counts.byStatus[status] = (counts.byStatus[status] ?? 0) + Number(some)
  }
  return counts
}
