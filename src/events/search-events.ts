import { validate as isUuid } from 'uuid'
import type { WebhookEvent } from '../generated/prisma/client.ts'
import type { Database } from '../platform/database.ts'
import { prefixBounds } from '../platform/prefix.ts'

export type FoundEvents = {
  events: WebhookEvent[]
  /** Orders that these events name. */
  orderIds: string[]
  /** Whatever else stands in them: a customer's order is often named by another event of its payment. */
  ids: string[]
  /** Whether the text is an event's own id, or equals something in them, or only begins it. */
  match: 'id' | 'reference' | 'prefix'
}

/** Events by their id or ours, or by any id or address in them: those that equal the text, else those that begin with it. The newest first. */
export async function searchEvents(db: Database, text: string, limit: number): Promise<FoundEvents> {
  const own = await findByOwnId(db, text)
  if (own.length > 0) return toFound(db, own, 'id')
  const value = text.includes('@') ? text.toLowerCase() : text
  const exact = await findByReference(db, value, limit)
  if (exact.length > 0) return toFound(db, await loadEvents(db, exact), 'reference')
  return toFound(db, await loadEvents(db, await findByPrefix(db, value, limit)), 'prefix')
}

/** By the provider's id, by ours, which is also that of the first job, or by that of the job of a replay. */
async function findByOwnId({ prisma }: Database, text: string): Promise<WebhookEvent[]> {
  const replayed = isUuid(text) ? await prisma.eventReplay.findFirst({ where: { jobId: text } }) : null
  const ids = isUuid(text) ? [text, ...(replayed ? [replayed.messageId] : [])] : []
  return prisma.webhookEvent.findMany({ where: { OR: [{ eventId: text }, { messageId: { in: ids } }] }, orderBy: { messageId: 'desc' } })
}

async function findByReference({ pool, schema }: Database, value: string, limit: number): Promise<string[]> {
  const { rows } = await pool.query<{ message_id: string }>(
    `select distinct message_id from ${schema}.event_references where value = $1 order by message_id desc limit $2`,
    [value, limit],
  )
  return rows.map((row) => row.message_id)
}

/** The first in the order of what they begin with: an index gives no other without reading all that begin like this. */
async function findByPrefix({ pool, schema }: Database, text: string, limit: number): Promise<string[]> {
  const { rows } = await pool.query<{ message_id: string }>(
    `(select message_id from ${schema}.webhook_events where event_id >= $1 and event_id < $2 order by event_id limit $3)
     union
     (select message_id from ${schema}.event_references where value >= $1 and value < $2 order by value limit $3)
     limit $3`,
    [...prefixBounds(text), limit],
  )
  return rows.map((row) => row.message_id)
}

function loadEvents({ prisma }: Database, messageIds: string[]): Promise<WebhookEvent[]> {
  return prisma.webhookEvent.findMany({ where: { messageId: { in: messageIds } }, orderBy: { messageId: 'desc' } })
}

async function toFound({ prisma }: Database, events: WebhookEvent[], match: FoundEvents['match']): Promise<FoundEvents> {
  const messageIds = events.map(({ messageId }) => messageId)
  const references = await prisma.eventReference.findMany({ where: { messageId: { in: messageIds } }, distinct: ['kind', 'value'] })
  const [orders, others] = [references.filter(({ kind }) => kind === 'order'), references.filter(({ kind }) => kind !== 'order')]
  return { events, orderIds: orders.map(({ value }) => value), ids: others.map(({ value }) => value), match }
}
