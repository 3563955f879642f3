import { columns, type Transaction } from '../platform/database.ts'
import type { HistoryEntry, Order, Payment } from './order.ts'

const PAYMENT_COLUMNS = `provider, payment_id as "paymentId", order_id as "orderId", claim_rank as "claimRank", claimed_at as "claimedAt",
  state, state_rank as "stateRank", state_at as "stateAt", state_event_id as "stateEventId", succeeded_at as "succeededAt", currency,
  amount_minor as "amountMinor", received_minor as "receivedMinor", received_rank as "receivedRank", refunded_minor as "refundedMinor", account, livemode`

const ORDER_COLUMNS = `order_id as "orderId", status, currency, expected_minor as "expectedMinor", registered_at as "registeredAt",
  paid_minor as "paidMinor", refunded_minor as "refundedMinor", flags`

/** Makes the orders that are not there yet, in the order of their ids. */
export async function insertOrders(tx: Transaction, schema: string, orderIds: string[], now: Date): Promise<string[]> {
  const { rows } = await tx.query<{ order_id: string }>(
    `insert into ${schema}.orders (order_id, flags, created_at, updated_at)
     select order_id, '{unregistered}', $2, $2 from unnest($1::text[]) as i(order_id)
     on conflict do nothing returning order_id`,
    [[...orderIds].sort(), now],
  )
  return rows.map((row) => row.order_id)
}

export async function lockOrders(tx: Transaction, schema: string, orderIds: string[]): Promise<Order[]> {
  const { rows } = await tx.query(
    `select ${ORDER_COLUMNS} from ${schema}.orders where order_id = any($1) order by order_id collate "C" for update`,
    [orderIds],
  )
  return rows.map(toOrder)
}

type PaymentId = { provider: string; paymentId: string }

export async function lockPayments(tx: Transaction, schema: string, ids: PaymentId[]): Promise<Payment[]> {
  const { rows } = await tx.query(
    `select ${PAYMENT_COLUMNS} from ${schema}.payments where (provider, payment_id) in (select * from unnest($1::text[], $2::text[]))
     order by provider collate "C", payment_id collate "C" for update`,
    columns(ids, ({ provider, paymentId }) => [provider, paymentId]),
  )
  return rows.map(toPayment)
}

export async function findPaymentsOfOrders(tx: Transaction, schema: string, orderIds: string[]): Promise<Payment[]> {
  const { rows } = await tx.query(`select ${PAYMENT_COLUMNS} from ${schema}.payments where order_id = any($1)`, [orderIds])
  return rows.map(toPayment)
}

/** Makes room for payments that nobody has heard of, so that two workers which hear of one at once meet at its row. */
export async function insertPayments(tx: Transaction, schema: string, payments: Payment[], now: Date): Promise<void> {
  await tx.query(
    `insert into ${schema}.payments (provider, payment_id, state, state_rank, state_at, state_event_id, currency, amount_minor, created_at, updated_at)
     select provider, payment_id, state, -1, 'epoch', '', currency, 0, $5, $5
     from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as i(provider, payment_id, state, currency)
     on conflict do nothing`,
    [...columns(payments, ({ provider, paymentId, currency }) => [provider, paymentId, 'created', currency]), now],
  )
}

export async function updatePayments(tx: Transaction, schema: string, payments: Payment[], now: Date): Promise<void> {
  const values = columns(payments, (payment) => [
    payment.provider,
    payment.paymentId,
    payment.orderId,
    payment.claimRank,
    payment.claimedAt,
    payment.state,
    payment.stateRank,
    payment.stateAt,
    payment.stateEventId,
    payment.currency,
    payment.amountMinor,
    payment.receivedMinor,
    payment.refundedMinor,
    payment.succeededAt,
    payment.receivedRank,
    payment.account,
    payment.livemode,
  ])
  await tx.query(
    `update ${schema}.payments p set order_id = i.order_id, claim_rank = i.claim_rank, claimed_at = i.claimed_at,
       state = i.state, state_rank = i.state_rank, state_at = i.state_at, state_event_id = i.state_event_id, currency = i.currency,
       amount_minor = i.amount_minor, received_minor = i.received_minor, refunded_minor = i.refunded_minor,
       account = i.account, livemode = i.livemode, succeeded_at = i.succeeded_at, received_rank = i.received_rank, updated_at = $18
     from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::timestamptz[], $6::text[], $7::int[], $8::timestamptz[], $9::text[],
       $10::text[], $11::bigint[], $12::bigint[], $13::bigint[], $14::timestamptz[], $15::int[], $16::text[], $17::bool[])
     as i(provider, payment_id, order_id, claim_rank, claimed_at, state, state_rank, state_at, state_event_id,
       currency, amount_minor, received_minor, refunded_minor, succeeded_at, received_rank, account, livemode)
     where p.provider = i.provider and p.payment_id = i.payment_id`,
    [...values, now],
  )
}

export async function updateOrders(tx: Transaction, schema: string, orders: Order[], now: Date): Promise<void> {
  const values = columns(orders, (order) => [
    order.orderId,
    order.status,
    order.currency,
    order.paidMinor,
    order.refundedMinor,
    JSON.stringify(order.flags),
  ])
  await tx.query(
    `update ${schema}.orders o set status = i.status, currency = i.currency, paid_minor = i.paid_minor, refunded_minor = i.refunded_minor,
       flags = array(select jsonb_array_elements_text(i.flags::jsonb)), updated_at = $7
     from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[]) as i(order_id, status, currency, paid_minor, refunded_minor, flags)
     where o.order_id = i.order_id`,
    [...values, now],
  )
}

export async function insertHistory(tx: Transaction, schema: string, entries: HistoryEntry[]): Promise<void> {
  await tx.query(
    `insert into ${schema}.order_history (order_id, at, "from", "to", message_id, fact, note)
     select * from unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::uuid[], $6::text[], $7::text[])`,
    columns(entries, (entry) => [entry.orderId, entry.at, entry.from, entry.to, entry.messageId, entry.fact, entry.note]),
  )
}

// The driver gives a bigint as text, since a JavaScript number could not hold it.
type Raw<Row> = { [Field in keyof Row]: Row[Field] extends bigint ? string : Row[Field] extends bigint | null ? string | null : Row[Field] }

function toPayment(row: Raw<Payment>): Payment {
  return {
    ...row,
    amountMinor: BigInt(row.amountMinor),
    receivedMinor: BigInt(row.receivedMinor),
    refundedMinor: BigInt(row.refundedMinor),
  }
}

function toOrder(row: Raw<Order>): Order {
  const expectedMinor = row.expectedMinor === null ? null : BigInt(row.expectedMinor)
  return { ...row, expectedMinor, paidMinor: BigInt(row.paidMinor), refundedMinor: BigInt(row.refundedMinor) }
}
