import { type MessageDispatch, type OrderMessage, Prisma } from '../generated/prisma/client.ts'
import type { Database } from '../platform/database.ts'

export type MessageFilter = { orderId?: string | undefined; status?: string | undefined }
export type MessagePage = { filter: MessageFilter; limit: number /** A message id. */; before?: string | undefined }
export type MessageStory = { message: OrderMessage; dispatches: MessageDispatch[] }

/** The newest first, from below the message `before`. A status asks for messages that have it at one of their receivers. */
export async function listMessages(db: Database, page: MessagePage): Promise<MessageStory[]> {
  const rows = await db.prisma.$queryRaw<{ message_id: string }[]>(selectMessageIds(db.schema, page))
  return loadStories(
    db,
    rows.map((row) => row.message_id),
  )
}

export async function findMessage(db: Database, messageId: string): Promise<MessageStory | undefined> {
  return (await loadStories(db, [messageId]))[0]
}

/** What these events made us tell receivers, the first first; looked up among the messages of their orders. */
export async function findMessagesOf(db: Database, messageId: string, orderIds: string[]): Promise<MessageStory[]> {
  const where = { orderId: { in: orderIds }, causationId: messageId }
  const messages = await db.prisma.orderMessage.findMany({ where, select: { messageId: true }, orderBy: { messageId: 'asc' }, take: 200 })
  const stories = await loadStories(
    db,
    messages.map((message) => message.messageId),
  )
  return stories.reverse()
}

async function loadStories({ prisma }: Database, messageIds: string[]): Promise<MessageStory[]> {
  const where = { messageId: { in: messageIds } }
  const [messages, dispatches] = await Promise.all([
    prisma.orderMessage.findMany({ where, orderBy: { messageId: 'desc' } }),
    prisma.messageDispatch.findMany({ where, orderBy: { url: 'asc' } }),
  ])
  const byMessage = Map.groupBy(dispatches, ({ messageId }) => messageId)
  return messages.map((message) => ({ message, dispatches: byMessage.get(message.messageId) ?? [] }))
}

/** Few messages are waiting or dead, so a status alone is looked up where it stands. */
function selectMessageIds(schema: string, { filter: { orderId, status }, limit, before }: MessagePage): Prisma.Sql {
  const dispatches = Prisma.raw(`${schema}.message_dispatches`)
  // With a limit it is looked up message by message; as a plain EXISTS it is joined with every dispatch of this status.
  const hasStatus = Prisma.sql`(select true from ${dispatches} d where d.message_id = m.message_id and d.status = ${status} limit 1)`
  const isStatusAlone = status !== undefined && orderId === undefined
  const conditions = [
    before !== undefined && Prisma.sql`message_id < ${before}::uuid`,
    orderId !== undefined && Prisma.sql`order_id = ${orderId}`,
    status !== undefined && (isStatusAlone ? Prisma.sql`status = ${status}` : hasStatus),
  ].filter((condition) => condition instanceof Prisma.Sql)
  const where = conditions.length > 0 ? Prisma.sql`where ${Prisma.join(conditions, ' and ')}` : Prisma.empty
  const from = isStatusAlone ? dispatches : Prisma.raw(`${schema}.order_messages`)
  return Prisma.sql`select distinct message_id from ${from} m ${where} order by message_id desc limit ${limit}`
}
