import type { PaymentFact } from '../events/payment-fact.ts'
import type { Transaction } from '../platform/database.ts'
import { applyFacts, type Ledger, paymentKey } from './apply-facts.ts'
import {
  findPaymentsOfOrders,
  insertHistory,
  insertOrders,
  insertPayments,
  lockOrders,
  lockPayments,
  updateOrders,
  updatePayments,
} from './ledger-sql.ts'
import { mergeFact } from './merge-fact.ts'
import type { HistoryEntry } from './order.ts'

/**
 * Applies facts to the ledger with a fixed number of statements, however many they are. Applying a fact again
 * changes nothing. Locks are always taken in one order (payments by id, then orders by id), so that two workers
 * wait for each other and never deadlock. Returns what it added to the history of orders.
 */
export async function applyPaymentFacts(tx: Transaction, schema: string, facts: PaymentFact[], now: Date): Promise<HistoryEntry[]> {
  if (facts.length === 0) return []
  const touched = [...new Map(facts.map((fact) => [paymentKey(fact), fact])).entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, fact]) => fact)
  const claimed = [...new Set(facts.flatMap(({ orderId }) => orderId ?? []))]
  const made = await insertOrders(tx, schema, claimed, now)
  await insertPayments(
    tx,
    schema,
    touched.map((fact) => mergeFact(undefined, fact)),
    now,
  )

  const ledger = await loadLedger(tx, schema, touched, claimed)
  const before = { orders: new Map(ledger.orders), payments: new Map(ledger.payments) }
  const history = applyFacts(ledger, facts, now)

  const changedPayments = [...ledger.payments]
    .filter(([key, payment]) => !isSame(payment, before.payments.get(key)))
    .map(([, payment]) => payment)
  const changedOrders = [...ledger.orders]
    .filter(([id, order]) => made.includes(id) || !isSame(order, before.orders.get(id)))
    .map(([, order]) => order)
  if (changedPayments.length > 0) await updatePayments(tx, schema, changedPayments, now)
  if (changedOrders.length > 0) await updateOrders(tx, schema, changedOrders, now)
  if (history.length > 0) await insertHistory(tx, schema, history)
  return history
}

/** Each order is loaded with all its payments: its status follows from all of them. */
async function loadLedger(tx: Transaction, schema: string, touched: PaymentFact[], claimed: string[]): Promise<Ledger> {
  const locked = await lockPayments(tx, schema, touched)
  const orderIds = [...new Set([...claimed, ...locked.flatMap(({ orderId }) => orderId ?? [])])]
  const orders = await lockOrders(tx, schema, orderIds)
  const others = await findPaymentsOfOrders(tx, schema, orderIds)
  return {
    orders: new Map(orders.map((order) => [order.orderId, order])),
    payments: new Map([...others, ...locked].map((payment) => [paymentKey(payment), payment])),
  }
}

function isSame(left: object, right: object | undefined): boolean {
  if (!right) return false
  return Object.entries(left).every(([name, value]) => String(value) === String((right as Record<string, unknown>)[name]))
}
