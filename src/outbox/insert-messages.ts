import { columns, type Transaction } from '../platform/database.ts'
import type { OrderMessage } from './order-message.ts'

export type NewMessages = { messages: OrderMessage[]; urls: string[]; now: Date; expiresAt: Date }

/**
 * Writes messages, at most one of an order, and a dispatch of each to every receiver. The caller holds the lock of each order,
 * so that nobody else adds to these lanes; a relay that settles a dispatch holds one lane for a moment.
 */
export async function insertMessages(tx: Transaction, schema: string, { messages, urls, now, expiresAt }: NewMessages): Promise<void> {
  const values = columns(messages, (message) => [
    message.messageId,
    message.orderId,
    message.sequence,
    message.type,
    message.body,
    message.correlationId,
    message.causationId,
  ])
  await tx.query(
    `with messages as (
       insert into ${schema}.order_messages (message_id, order_id, sequence, type, body, correlation_id, causation_id, created_at)
       select *, $8 from unnest($1::uuid[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::uuid[])
     ), dispatches as (
       insert into ${schema}.message_dispatches (message_id, order_id, sequence, url, expires_at)
       select i.*, url, $9 from unnest($1::uuid[], $2::text[], $3::int[]) i cross join unnest($10::text[]) as urls(url)
     )
     ${addToLanes(schema, 'select order_id, url from unnest($2::text[]) as i(order_id) cross join unnest($10::text[]) as urls(url)', '$8')}`,
    [...values, now, expiresAt, urls],
  )
}

/** A lane that was empty is due at once; one in which something is sent, or waits to be sent again, keeps its time. */
export function addToLanes(schema: string, lanes: string, now: string): string {
  return `insert into ${schema}.dispatch_lanes as l (order_id, url, waiting, due_at)
     select order_id, url, 1, ${now} from (${lanes}) added order by order_id, url
     on conflict (order_id, url) do update set waiting = l.waiting + 1,
       due_at = case when l.waiting = 0 then excluded.due_at else l.due_at end`
}
