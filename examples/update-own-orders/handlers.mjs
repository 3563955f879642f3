// Marks the shop's own orders in the same commit in which Sluice learns of them:
//
//     HANDLERS=examples/update-own-orders/handlers.mjs npm start
//
// The table lives beside Sluice's in the same database: see schema.sql. A throw here is a failed attempt: the event is
// tried again, and neither Sluice's tables nor this one have changed.

/** @type {import('../../src/handlers.ts').Handlers['onOrderChange']} */
export async function onOrderChange(tx, { order_id, to, sequence, order }) {
  await tx.query(
    `insert into shop_orders (order_id, status, paid_minor, currency, sequence) values ($1, $2, $3, $4, $5)
     on conflict (order_id) do update set status = excluded.status, paid_minor = excluded.paid_minor,
       currency = excluded.currency, sequence = excluded.sequence where shop_orders.sequence < excluded.sequence`,
    [order_id, to, order.paid_minor, order.currency, sequence],
  )
}

/** @type {import('../../src/handlers.ts').Handlers['onEvent']} */
export async function onEvent(tx, { event_id, type, payload }) {
  if (type !== 'customer.deleted') return
  await tx.query('insert into shop_deleted_customers (customer_id, event_id) values ($1, $2) on conflict do nothing', [
    payload.data.object.id,
    event_id,
  ])
}
