import { type AuditRequest, insertAudit } from '../audit/audit-log.ts'
import type { Database, Queryable } from '../platform/database.ts'
import type { Logger } from '../platform/logger.ts'
import { addToLanes } from './insert-messages.ts'

type Deps = { config: { orderWebhooks: { urls: string[]; giveUpMs: number } }; db: Database; logger: Logger }
type ResendRequest = { messageId: string; urls: string[]; now: Date; expiresAt: Date }

/** Sends a message again to those of these receivers at which it is dead, before later ones of its order that still wait; returns how many. */
async function resendMessage(db: Queryable, schema: string, { messageId, urls, now, expiresAt }: ResendRequest): Promise<number> {
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

/** The same as a person asked for it, with its audit; returns at how many receivers it was dead. */
export async function resendAsked({ config, db, logger }: Deps, messageId: string, request: AuditRequest): Promise<number> {
  const { urls, giveUpMs } = config.orderWebhooks
  const expiresAt = new Date(request.at.getTime() + giveUpMs)
  const receivers = await db.transaction(async (tx) => {
    const revived = await resendMessage(tx, db.schema, { messageId, urls, now: request.at, expiresAt })
    if (revived > 0) await insertAudit(tx, db.schema, { ...request, action: 'message.resent', subject: { message_id: messageId } })
    return revived
  })
  const { actor: by, correlationId: correlation_id } = request
  if (receivers > 0) logger.info('message.resent', { message_id: messageId, receivers, by, correlation_id })
  return receivers
}
