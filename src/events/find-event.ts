import { validate as isUuid } from 'uuid'
import type { EventAttempt, EventReference, EventReplay, OrderHistory, Replay, WebhookEvent } from '../generated/prisma/client.ts'
import type { Database } from '../platform/database.ts'

type EventReplayStory = EventReplay & { replay: Replay }
export type EventStory = {
  event: WebhookEvent
  attempts: EventAttempt[]
  references: EventReference[]
  history: OrderHistory[]
  replays: EventReplayStory[]
}

/** By our message id or the provider's event id. */
export async function findEvent({ prisma }: Database, id: string): Promise<WebhookEvent | null> {
  if (id.includes('\0')) return null
  const own = isUuid(id) ? await prisma.webhookEvent.findUnique({ where: { messageId: id } }) : null
  return own ?? prisma.webhookEvent.findFirst({ where: { eventId: id }, orderBy: { receivedAt: 'asc' } })
}

export async function findEventStory(db: Database, id: string): Promise<EventStory | null> {
  const event = await findEvent(db, id)
  if (!event) return null
  const where = { messageId: event.messageId }
  const [attempts, references, history, replays] = await Promise.all([
    db.prisma.eventAttempt.findMany({ where, orderBy: [{ startedAt: 'asc' }, { attempt: 'asc' }] }),
    db.prisma.eventReference.findMany({ where, orderBy: [{ kind: 'asc' }, { value: 'asc' }] }),
    db.prisma.orderHistory.findMany({ where, orderBy: { id: 'asc' } }),
    findReplays(db, event.messageId),
  ])
  return { event, attempts, references, history, replays }
}

/** The orders that it changed or names. */
export function orderIdsOf({ history, references }: Pick<EventStory, 'history' | 'references'>): string[] {
  const named = references.filter(({ kind }) => kind === 'order').map(({ value }) => value)
  return [...new Set([...history.map(({ orderId }) => orderId), ...named])]
}

async function findReplays({ prisma }: Database, messageId: string): Promise<EventReplayStory[]> {
  const rows = await prisma.eventReplay.findMany({ where: { messageId }, orderBy: [{ queuedAt: 'asc' }, { replayId: 'asc' }] })
  const replays = await prisma.replay.findMany({ where: { replayId: { in: rows.map(({ replayId }) => replayId) } } })
  const byId = new Map(replays.map((replay) => [replay.replayId, replay]))
  return rows.flatMap((row) => {
    const replay = byId.get(row.replayId)
    return replay ? [{ ...row, replay }] : []
  })
}

/** The bytes of the event's first delivery. */
export async function findBody({ prisma }: Database, messageId: string): Promise<Uint8Array | null> {
  const body = await prisma.eventBody.findFirst({ where: { messageId }, orderBy: { receivedAt: 'asc' } })
  return body?.body ?? null
}

/** In how many API versions it was delivered. */
export function countBodies({ prisma }: Database, messageId: string): Promise<number> {
  return prisma.eventBody.count({ where: { messageId } })
}
