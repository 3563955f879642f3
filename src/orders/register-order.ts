import type { Database, Transaction } from '../platform/database.ts'
import { deriveOrder } from './derive-order.ts'
import { findPaymentsOfOrders, insertHistory, insertOrders, lockOrders, updateOrders } from './ledger-sql.ts'
import type { Order } from './order.ts'

type OrderRegistration = {
  orderId: string
  currency: string
  expectedMinor: bigint
  account: string | null
  metadata: object | null
}
export type RegistrationOutcome = 'registered' | 'unchanged' | 'replaced' | 'conflict'

export type RegistrationRequest = { registration: OrderRegistration; replace: boolean; note: string; now: Date }

/** Says what an order should cost. Payments may have made the order before; its status follows at once. */
export async function registerOrder(db: Database, request: RegistrationRequest): Promise<RegistrationOutcome> {
  const { registration, replace, now } = request
  return db.transaction(async (tx) => {
    await insertOrders(tx, db.schema, [registration.orderId], now)
    const [order] = await lockOrders(tx, db.schema, [registration.orderId])
    if (!order) throw new Error('An order vanished while it was registered')
    const account = await findAccount(tx, db.schema, order.orderId)
    if (order.registeredAt && isSame(registration, order, account)) return 'unchanged'
    if (order.registeredAt && !replace) return 'conflict'
    await saveRegistration(tx, db.schema, registration, now)
    await rederive(tx, db.schema, order, request)
    return order.registeredAt ? 'replaced' : 'registered'
  })
}

function isSame(registration: OrderRegistration, order: Order, account: string | null): boolean {
  return registration.currency === order.currency && registration.expectedMinor === order.expectedMinor && registration.account === account
}

async function findAccount(tx: Transaction, schema: string, orderId: string): Promise<string | null> {
  const { rows } = await tx.query<{ account: string | null }>(`select account from ${schema}.orders where order_id = $1`, [orderId])
  return rows[0]?.account ?? null
}

async function saveRegistration(tx: Transaction, schema: string, registration: OrderRegistration, now: Date): Promise<void> {
  const { orderId, currency, expectedMinor, account, metadata } = registration
  await tx.query(
    `update ${schema}.orders set currency = $2, expected_minor = $3, account = $4, metadata = $5, registered_at = $6, updated_at = $6 where order_id = $1`,
    [orderId, currency, expectedMinor, account, metadata && JSON.stringify(metadata), now],
  )
}

async function rederive(tx: Transaction, schema: string, order: Order, { registration, note, now }: RegistrationRequest): Promise<void> {
  const payments = await findPaymentsOfOrders(tx, schema, [order.orderId])
  const derived = deriveOrder(registration, payments)
  await updateOrders(tx, schema, [{ ...order, ...derived }], now)
  await insertHistory(tx, schema, [
    { orderId: order.orderId, at: now, from: order.status, to: derived.status, messageId: null, fact: null, note },
  ])
}
