import { v7 as createUuid } from 'uuid'
import type { Queryable } from '../platform/database.ts'
import type { OrderMessage } from './order-message.ts'

/** The first waiting message of a lane, and the right to send it. */
export type Claim = { claimId: string; url: string; message: OrderMessage; attempts: number; expiresAt: Date }
export type ClaimRequest = { url: string; limit: number; now: Date; until: Date }

/**
 * Claims lanes of a receiver that are due, the longest due first. Who holds the claim of a lane is alone with it until it
 * settles, gives it back, or the claim lapses; others pass by rows that are being claimed.
 */
export async function claimLanes(db: Queryable, schema: string, { url, limit, now, until }: ClaimRequest): Promise<Claim[]> {
  const claimId = createUuid()
  const { rows } = await db.query<{ order_id: string }>(
    `with due as (
       select order_id from ${schema}.dispatch_lanes where url = $1 and waiting > 0 and due_at <= $2
       order by due_at limit $3 for update skip locked
     )
     update ${schema}.dispatch_lanes l set claim_id = $4, due_at = $5 from due where l.order_id = due.order_id and l.url = $1
     returning l.order_id`,
    [url, now, limit, claimId, until],
  )
  const orderIds = rows.map((row) => row.order_id)
  return orderIds.length === 0 ? [] : (await findHeads(db, schema, { url, orderIds })).map((head) => ({ ...head, claimId, url }))
}

type Head = Pick<Claim, 'message' | 'attempts' | 'expiresAt'>

/** A statement of its own, after the claim: one snapshot for both could show a message as waiting that the last holder just settled. */
async function findHeads(db: Queryable, schema: string, { url, orderIds }: { url: string; orderIds: string[] }): Promise<Head[]> {
  const { rows } = await db.query<OrderMessage & Omit<Head, 'message'>>(
    `select m.message_id as "messageId", m.order_id as "orderId", m.sequence, m.type, m.body, m.correlation_id as "correlationId",
       m.causation_id as "causationId", m.created_at as "createdAt", head.attempts, head.expires_at as "expiresAt"
     from unnest($2::text[]) as lanes(order_id)
     cross join lateral (
       select message_id, attempts, expires_at from ${schema}.message_dispatches d
       where d.order_id = lanes.order_id and d.url = $1 and d.status = 'waiting' order by sequence limit 1
     ) head
     join ${schema}.order_messages m using (message_id)`,
    [url, orderIds],
  )
  return rows.map(({ attempts, expiresAt, ...message }) => ({ message, attempts, expiresAt }))
}

export type Settlement = { status: 'waiting' | 'delivered' | 'dead'; error: string | null; dueAt: Date; now: Date }

/** Writes how an attempt ended, and frees the lane. False where the claim has lapsed and another relay took the lane. */
export async function settle(db: Queryable, schema: string, claim: Claim, { status, error, dueAt, now }: Settlement): Promise<boolean> {
  const { rowCount } = await db.query(
    `with lane as (
       update ${schema}.dispatch_lanes set waiting = waiting - $4, due_at = $5, claim_id = null
       where order_id = $1 and url = $2 and claim_id = $3 returning order_id
     )
     update ${schema}.message_dispatches d set status = $6, attempts = attempts + 1, last_attempt_at = $7, last_error = $8
     from lane where d.message_id = $9 and d.url = $2`,
    [claim.message.orderId, claim.url, claim.claimId, status === 'waiting' ? 0 : 1, dueAt, status, now, error, claim.message.messageId],
  )
  return rowCount === 1
}

/** Gives lanes back whose attempt was cut short by us. */
export async function giveBack(db: Queryable, schema: string, { message, url, claimId }: Claim, now: Date): Promise<void> {
  await db.query(`update ${schema}.dispatch_lanes set due_at = $4, claim_id = null where order_id = $1 and url = $2 and claim_id = $3`, [
    message.orderId,
    url,
    claimId,
    now,
  ])
}
