import { type AuditRequest, insertAudit } from '../audit/audit-log.ts'
import type { Database, Transaction } from '../platform/database.ts'
import type { Order, TellChanges } from './order.ts'
import { insertOrders, lockOrders } from './orders-sql.ts'
import { rederiveOrder } from './rederive-order.ts'

type Deps = { db: Database; tellChanges: TellChanges }

type OrderRegistration = {
  orderId: string
  currency: string
  expectedMinor: bigint
  account: string | null
  metadata: object | null
}
export type RegistrationOutcome = 'registered' | 'unchanged' | 'replaced' | 'conflict'

export type RegistrationRequest = { registration: OrderRegistration; replace: boolean; request: AuditRequest }

/** Says what an order should cost. Payments may have made the order before; its status follows at once. */
export async function registerOrder({ db, tellChanges }: Deps, request: RegistrationRequest): Promise<RegistrationOutcome> {
  const { registration, replace } = request
  const { at: now, actor, reason, correlationId } = request.request
  return db.transaction(async (tx) => {
    await insertOrders(tx, db.schema, [registration.orderId], now)
    const [order] = await lockOrders(tx, db.schema, [registration.orderId])
    if (!order) throw new Error('An order vanished while it was registered')
    if (order.registeredAt && isSame(registration, order)) return 'unchanged'
    if (order.registeredAt && !replace) return 'conflict'
    await saveRegistration(tx, db.schema, registration, now)
    const isReplaced = order.registeredAt !== null
    const note = isReplaced ? `replaced by ${actor}: ${reason}` : `registered by ${actor}`
    const change = await rederiveOrder(tx, db.schema, { order, registration, note, correlationId, now })
    await tellChanges(tx, [{ ...change, correlationId, causationId: null }], now)
    if (isReplaced) await insertAudit(tx, db.schema, { ...request.request, action: 'order.replaced', subject: { order_id: order.orderId } })
    return isReplaced ? 'replaced' : 'registered'
  })
}

function isSame(registration: OrderRegistration, order: Order): boolean {
  return (
    registration.currency === order.registeredCurrency &&
    registration.expectedMinor === order.expectedMinor &&
    registration.account === order.account
  )
}

async function saveRegistration(tx: Transaction, schema: string, registration: OrderRegistration, now: Date): Promise<void> {
  const { orderId, currency, expectedMinor, account, metadata } = registration
  await tx.query(
    `update ${schema}.orders set currency = $2, expected_minor = $3, account = $4, metadata = $5, registered_at = $6, updated_at = $6 where order_id = $1`,
    [orderId, currency, expectedMinor, account, metadata && JSON.stringify(metadata), now],
  )
}
