import { columns, type Queryable, type Transaction } from '../platform/database.ts'
import type { Payment } from './order.ts'

const PAYMENT_COLUMNS = `provider, payment_id as "paymentId", object_key as "objectKey", order_id as "orderId",
  rival_order_ids as "rivalOrderIds", status, state, state_at as "stateAt", succeeded_at as "succeededAt", first_at as "firstAt", currency,
  amount_minor as "amountMinor", received_minor as "receivedMinor", refunded_minor as "refundedMinor", disputed_minor as "disputedMinor",
  charged_back_minor as "chargedBackMinor", flags, account, livemode`

/** Every payment that is for one of these orders, or that a claim names for it. */
export async function findPaymentsOfOrders(tx: Queryable, schema: string, orderIds: string[]): Promise<Payment[]> {
  const { rows } = await tx.query(
    `select ${PAYMENT_COLUMNS} from ${schema}.payments where order_id = any($1)
     union all
     select ${PAYMENT_COLUMNS} from ${schema}.payments
     where rival_order_ids <> '{}' and rival_order_ids && $1::text[] and (order_id = any($1)) is not true`,
    [orderIds],
  )
  return rows.map(toPayment)
}

export async function savePayments(tx: Transaction, schema: string, payments: Payment[], now: Date): Promise<void> {
  const values = columns(payments, (payment) => [
    payment.provider,
    payment.paymentId,
    payment.objectKey,
    payment.orderId,
    JSON.stringify(payment.rivalOrderIds),
    payment.status,
    payment.state,
    payment.stateAt,
    payment.succeededAt,
    payment.firstAt,
    payment.currency,
    payment.amountMinor,
    payment.receivedMinor,
    payment.refundedMinor,
    payment.disputedMinor,
    payment.chargedBackMinor,
    JSON.stringify(payment.flags),
    payment.account,
    payment.livemode,
  ])
  await tx.query(
    `insert into ${schema}.payments (provider, payment_id, object_key, order_id, rival_order_ids, status, state, state_at, succeeded_at,
       first_at, currency, amount_minor, received_minor, refunded_minor, disputed_minor, charged_back_minor, flags, account, livemode,
       created_at, updated_at)
     select provider, payment_id, object_key, order_id, array(select jsonb_array_elements_text(rivals::jsonb)), status, state, state_at,
       succeeded_at, first_at, currency, amount_minor, received_minor, refunded_minor, disputed_minor, charged_back_minor,
       array(select jsonb_array_elements_text(flags::jsonb)), account, livemode, $20, $20
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[], $9::timestamptz[],
       $10::timestamptz[], $11::text[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[], $17::text[], $18::text[],
       $19::bool[])
     as i(provider, payment_id, object_key, order_id, rivals, status, state, state_at, succeeded_at, first_at, currency, amount_minor,
       received_minor, refunded_minor, disputed_minor, charged_back_minor, flags, account, livemode)
     on conflict (provider, object_key) do update set order_id = excluded.order_id,
       rival_order_ids = excluded.rival_order_ids, status = excluded.status, state = excluded.state, state_at = excluded.state_at,
       succeeded_at = excluded.succeeded_at, first_at = excluded.first_at, currency = excluded.currency,
       amount_minor = excluded.amount_minor, received_minor = excluded.received_minor, refunded_minor = excluded.refunded_minor,
       disputed_minor = excluded.disputed_minor, charged_back_minor = excluded.charged_back_minor, flags = excluded.flags,
       account = excluded.account, livemode = excluded.livemode, updated_at = excluded.updated_at`,
    [...values, now],
  )
}

/** What stood for itself until it was known to belong to another payment. */
export async function deletePayments(tx: Transaction, schema: string, payments: Payment[]): Promise<void> {
  await tx.query(
    `delete from ${schema}.payments where (provider, object_key) in (select * from unnest($1::text[], $2::text[]))`,
    columns(payments, ({ provider, objectKey }) => [provider, objectKey]),
  )
}

// The driver gives a bigint as text, since a JavaScript number could not hold it.
type Raw<Row> = { [Field in keyof Row]: Row[Field] extends bigint ? string : Row[Field] }

function toPayment(row: Raw<Payment>): Payment {
  return {
    ...row,
    amountMinor: BigInt(row.amountMinor),
    receivedMinor: BigInt(row.receivedMinor),
    refundedMinor: BigInt(row.refundedMinor),
    disputedMinor: BigInt(row.disputedMinor),
    chargedBackMinor: BigInt(row.chargedBackMinor),
  }
}
