import type { Queryable, Transaction } from '../platform/database.ts'
import type { StoredEvent } from './event.ts'

type Row = Omit<StoredEvent, 'bodies'>

/** Events by message id; those in `again` are wanted whatever their status, the others only while they wait to be processed. */
export type WantedEvents = { messageIds: string[]; again: string[] }

/** The wanted events, with their bodies. */
export async function loadWantedEvents(db: Queryable, schema: string, { messageIds, again }: WantedEvents): Promise<StoredEvent[]> {
  const { rows } = await db.query<Row>(
    `select message_id as "messageId", provider, event_id as "eventId", type, account, livemode, api_version as "apiVersion",
       occurred_at as "occurredAt", received_at as "receivedAt", status
     from ${schema}.webhook_events where message_id = any($1) and (status = 'received' or message_id = any($2))`,
    [messageIds, again],
  )
  const bodies = await loadBodies(db, schema, messageIds)
  return rows.map((row) => ({ ...row, bodies: bodies.get(row.messageId) ?? [] }))
}

/** One event whatever its status, with its bodies. */
export async function loadStoredEvent(db: Queryable, schema: string, messageId: string): Promise<StoredEvent | undefined> {
  return (await loadWantedEvents(db, schema, { messageIds: [messageId], again: [messageId] }))[0]
}

async function loadBodies(db: Queryable, schema: string, messageIds: string[]): Promise<Map<string, Buffer[]>> {
  const { rows } = await db.query<{ message_id: string; body: Buffer }>(
    `select message_id, body from ${schema}.event_bodies where message_id = any($1) order by received_at, api_version`,
    [messageIds],
  )
  const bodies = new Map<string, Buffer[]>()
  for (const { message_id: id, body } of rows) bodies.set(id, [...(bodies.get(id) ?? []), body])
  return bodies
}

/** Locks the events in the order of their ids, which whoever locks several keeps to; returns the ids of the wanted ones. */
export async function lockWantedEvents(tx: Transaction, schema: string, { messageIds, again }: WantedEvents): Promise<Set<string>> {
  const { rows } = await tx.query<{ message_id: string; status: string }>(
    `select message_id, status from ${schema}.webhook_events where message_id = any($1) order by message_id for update`,
    [messageIds],
  )
  const isWanted = (row: { message_id: string; status: string }) => row.status === 'received' || again.includes(row.message_id)
  return new Set(rows.filter(isWanted).map((row) => row.message_id))
}
