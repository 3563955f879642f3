import type { Queryable } from '../platform/database.ts'
import { addToLanes } from './insert-messages.ts'

export type ResendRequest = { messageId: string; urls: string[]; now: Date; expiresAt: Date }

/** Sends a message again to those of these receivers at which it is dead, before later ones of its order that still wait; returns how many. */
export async function resendMessage(db: Queryable, schema: string, { messageId, urls, now, expiresAt }: ResendRequest): Promise<number> {
  const { rowCount } = await db.query(
    `with revived as (
       update ${schema}.message_dispatches set status = 'waiting', attempts = 0, expires_at = $3
       where message_id = $1 and status = 'dead' and url = any($4) returning order_id, url
     )
     ${addToLanes(schema, 'select order_id, url from revived', '$2')}`,
    [messageId, now, expiresAt, urls],
  )
  return rowCount ?? 0
}
