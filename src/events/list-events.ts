import { Prisma, type WebhookEvent } from '../generated/prisma/client.ts'
import type { Database } from '../platform/database.ts'
import { firstMessageIdAt } from '../platform/message-id.ts'
import type { EventFilter } from './event-filter.ts'

export type EventPage = { filter: EventFilter; limit: number; before?: string | undefined }

/** The newest first, from below the message id `before`. */
export async function listEvents(db: Database, page: EventPage): Promise<WebhookEvent[]> {
  const rows = await db.prisma.$queryRaw<{ message_id: string }[]>(selectIds(db.schema, page))
  return db.prisma.webhookEvent.findMany({
    where: { messageId: { in: rows.map((row) => row.message_id) } },
    orderBy: { messageId: 'desc' },
  })
}

/**
 * Message ids sort by the time of arrival and end every index, so each filter walks one index backwards from where
 * the page begins. Its plans are checked in the tests.
 */
export function selectIds(schema: string, page: EventPage): Prisma.Sql {
  return Prisma.sql`${selectMatching(schema, page)} order by message_id desc limit ${page.limit}`
}

export type EventRange = Pick<EventPage, 'filter' | 'before'>

/** The message ids of all events that a filter matches. */
export function selectMatching(schema: string, page: EventRange): Prisma.Sql {
  const { filter } = page
  const [events, references] = [Prisma.raw(`${schema}.webhook_events`), Prisma.raw(`${schema}.event_references`)]
  const looksUp = filter.reference ?? filter.orderId
  const id = Prisma.raw(looksUp === undefined ? 'e.message_id' : 'r.message_id')
  const from = looksUp === undefined ? Prisma.sql`${events} e` : Prisma.sql`${references} r join ${events} e using (message_id)`
  const conditions = [
    ...boundIds('e', page),
    ...(looksUp === undefined ? [] : boundIds('r', page)),
    filter.reference !== undefined && Prisma.sql`r.value = ${normalize(filter.reference)}`,
    filter.orderId !== undefined && nameOrder(page, references),
    filter.provider !== undefined && Prisma.sql`e.provider = ${filter.provider}`,
    filter.type !== undefined && Prisma.sql`e.type = ${filter.type}`,
    filter.status !== undefined && Prisma.sql`e.status = ${filter.status}`,
    filter.livemode !== undefined && Prisma.sql`e.livemode = ${filter.livemode}`,
  ].filter((condition) => condition instanceof Prisma.Sql)
  const where = conditions.length > 0 ? Prisma.sql`where ${Prisma.join(conditions, ' and ')}` : Prisma.empty
  return Prisma.sql`select distinct ${id} as message_id from ${from} ${where}`
}

type Condition = Prisma.Sql | false | undefined

/** PostgreSQL carries an equality over to a joined table and no inequality, so each table gets the bounds. */
function boundIds(table: 'e' | 'r' | 'o', { filter, before }: EventRange): Condition[] {
  const id = Prisma.raw(`${table}.message_id`)
  return [
    before !== undefined && Prisma.sql`${id} < ${before}::uuid`,
    filter.receivedFrom && Prisma.sql`${id} >= ${firstMessageIdAt(filter.receivedFrom)}::uuid`,
    filter.receivedTo && Prisma.sql`${id} < ${firstMessageIdAt(filter.receivedTo)}::uuid`,
  ]
}

function nameOrder(page: EventRange, references: Prisma.Sql): Prisma.Sql {
  const { orderId, reference } = page.filter
  if (reference === undefined) return Prisma.sql`r.kind = 'order' and r.value = ${orderId}`
  const same = [Prisma.sql`o.value = ${orderId}`, Prisma.sql`o.message_id = r.message_id`, Prisma.sql`o.kind = 'order'`]
  const conditions = [...same, ...boundIds('o', page)].filter((condition) => condition instanceof Prisma.Sql)
  return Prisma.sql`exists (select from ${references} o where ${Prisma.join(conditions, ' and ')})`
}

/** E-mail addresses are kept in lower case; ids are what they are. */
function normalize(reference: string): string {
  return reference.includes('@') ? reference.toLowerCase() : reference
}
