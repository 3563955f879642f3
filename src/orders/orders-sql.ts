import type { Order as OrderRow } from '../generated/prisma/client.ts'
import { columns, type Transaction } from '../platform/database.ts'
import type { HistoryEntry, Order } from './order.ts'

const ORDER_COLUMNS = `order_id as "orderId", status, currency, case when registered_at is not null then currency end as "registeredCurrency", expected_minor as "expectedMinor",
  account, registered_at as "registeredAt", paid_minor as "paidMinor", refunded_minor as "refundedMinor",
  disputed_minor as "disputedMinor", charged_back_minor as "chargedBackMinor", flags, sequence`

/** Makes the orders that are not there yet, in the order of their ids. */
export async function insertOrders(tx: Transaction, schema: string, orderIds: string[], now: Date): Promise<void> {
  await tx.query(
    `insert into ${schema}.orders (order_id, flags, created_at, updated_at)
     select order_id, '{unregistered}', $2, $2 from unnest($1::text[]) as i(order_id) on conflict do nothing`,
    [[...orderIds].sort(), now],
  )
}

export async function lockOrders(tx: Transaction, schema: string, orderIds: string[]): Promise<Order[]> {
  const { rows } = await tx.query(
    `select ${ORDER_COLUMNS} from ${schema}.orders where order_id = any($1) order by order_id collate "C" for update`,
    [orderIds],
  )
  return rows.map(toOrder)
}

/** The orders as they are shown, with what nothing is derived from. */
export async function findOrderRows(tx: Transaction, schema: string, orderIds: string[]): Promise<OrderRow[]> {
  const { rows } = await tx.query(
    `select ${ORDER_COLUMNS}, metadata, created_at as "createdAt", updated_at as "updatedAt" from ${schema}.orders where order_id = any($1)`,
    [orderIds],
  )
  return rows.map(toOrder)
}

export async function updateOrders(tx: Transaction, schema: string, orders: Order[], now: Date): Promise<void> {
  const values = columns(orders, (order) => [
    order.orderId,
    order.status,
    order.currency,
    order.paidMinor,
    order.refundedMinor,
    order.disputedMinor,
    order.chargedBackMinor,
    JSON.stringify(order.flags),
    order.sequence,
  ])
  await tx.query(
    `update ${schema}.orders o set status = i.status, currency = i.currency, paid_minor = i.paid_minor, refunded_minor = i.refunded_minor,
       disputed_minor = i.disputed_minor, charged_back_minor = i.charged_back_minor,
       flags = array(select jsonb_array_elements_text(i.flags::jsonb)), sequence = i.sequence, updated_at = $10
     from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::int[])
       as i(order_id, status, currency, paid_minor, refunded_minor, disputed_minor, charged_back_minor, flags, sequence)
     where o.order_id = i.order_id`,
    [...values, now],
  )
}

export async function insertHistory(tx: Transaction, schema: string, entries: HistoryEntry[]): Promise<void> {
  await tx.query(
    `insert into ${schema}.order_history (order_id, at, "from", "to", message_id, fact, note, replay_id, correlation_id)
     select * from unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::uuid[], $9::text[])`,
    columns(entries, ({ orderId, at, from, to, messageId, fact, note, replayId, correlationId }) => [
      orderId,
      at,
      from,
      to,
      messageId,
      fact,
      note,
      replayId,
      correlationId,
    ]),
  )
}

// The driver gives a bigint as text, since a JavaScript number could not hold it.
type Raw<Row> = { [Field in keyof Row]: Row[Field] extends bigint ? string : Row[Field] extends bigint | null ? string | null : Row[Field] }

function toOrder<Row extends Raw<Order>>(row: Row) {
  return {
    ...row,
    expectedMinor: row.expectedMinor === null ? null : BigInt(row.expectedMinor),
    paidMinor: BigInt(row.paidMinor),
    refundedMinor: BigInt(row.refundedMinor),
    disputedMinor: BigInt(row.disputedMinor),
    chargedBackMinor: BigInt(row.chargedBackMinor),
  }
}
