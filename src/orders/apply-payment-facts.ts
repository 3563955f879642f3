import type { Transaction } from '../platform/database.ts'
import { ConflictError } from '../platform/errors.ts'
import { applyEvents, type Books, type EventFacts, ordersOf } from './apply-facts.ts'
import { derivePayments } from './derive-payments.ts'
import { buildLedger, type LedgerObject, nameOf, objectsOf } from './ledger.ts'
import { keyOf } from './object-key.ts'
import { findObjects, insertObjects, loadObjects, lockClusters, type ObjectName, updateObjects } from './objects-sql.ts'
import type { HistoryEntry, Order, OrderChange, Payment } from './order.ts'
import { insertHistory, insertOrders, lockOrders, updateOrders } from './orders-sql.ts'
import { deletePayments, findPaymentsOfOrders, savePayments } from './payments-sql.ts'
import { isSameOrder, isSamePayment, isSameToPeople } from './same.ts'

/** `apply` changes the books in memory; everything it names in `names` and `orderIds` is loaded and locked for it. */
export type Change<Result> = { names: ObjectName[]; orderIds: string[]; now: Date; apply(books: Books): Result }

export type Applied = { history: HistoryEntry[]; changes: OrderChange[] }

/**
 * Applies the facts of a batch of events to the ledger with a fixed number of statements, however many they are. Applying them
 * again changes nothing. Returns what it added to the history of orders, and which orders are no longer what they were; a
 * ConflictError asks for the transaction anew.
 */
export async function applyPaymentFacts(tx: Transaction, schema: string, events: EventFacts[], now: Date): Promise<Applied> {
  const facts = events.flatMap((event) => event.facts)
  if (facts.length === 0) return { history: [], changes: [] }
  const names = facts.flatMap(({ provider, object, relatesTo }) => [object, ...relatesTo].map((ref) => ({ provider, key: keyOf(ref) })))
  const orderIds = facts.flatMap(({ orderId }) => orderId ?? [])
  const apply = (books: Books) => applyEvents(books, events, now)
  const { result: history, changes } = await changeBooks(tx, schema, { names, orderIds, now, apply })
  if (history.length > 0) await insertHistory(tx, schema, history)
  return { history, changes }
}

export type Changed<Result> = { result: Result; changes: OrderChange[] }

/**
 * Locks are always taken in one order (clusters, new orders, orders, new objects; each by name), so that two workers wait
 * for each other and never deadlock.
 */
export async function changeBooks<Result>(tx: Transaction, schema: string, change: Change<Result>): Promise<Changed<Result>> {
  const { books, objects } = await loadBooks(tx, schema, change)
  const before = { objects, orders: new Map(books.orders), payments: new Map(books.payments) }
  const result = change.apply(books)
  await saveObjects(tx, schema, books, before.objects)
  const { saved, gone } = changedPayments(before.payments, books.payments)
  if (gone.length > 0) await deletePayments(tx, schema, gone)
  if (saved.length > 0) await savePayments(tx, schema, saved, change.now)
  const { orders, changes } = numberChanges(before.orders, books.orders)
  if (orders.length > 0) await updateOrders(tx, schema, orders, change.now)
  return { result, changes }
}

/** The orders that are to be written. Whatever happens to one in a transaction is one change of it to others, with a number. */
function numberChanges(before: Map<string, Order>, after: Map<string, Order>): { orders: Order[]; changes: OrderChange[] } {
  const orders: Order[] = []
  const changes: OrderChange[] = []
  for (const [orderId, was] of before) {
    const is = after.get(orderId) ?? was
    if (isSameOrder(was, is)) continue
    const isNews = !isSameToPeople(was, is)
    const sequence = was.sequence + Number(isNews)
    orders.push({ ...is, sequence })
    if (isNews) changes.push({ orderId, sequence, from: was.status, to: is.status })
  }
  return { orders, changes }
}

type Loaded = { books: Books; objects: Map<string, LedgerObject> }

async function loadBooks(tx: Transaction, schema: string, { names, orderIds, now }: Change<unknown>): Promise<Loaded> {
  const objects = await loadClusters(tx, schema, distinct(names))
  const ledger = buildLedger(objects)
  const derived = [...ledger.clusters.keys()].flatMap((cluster) => derivePayments(objectsOf(ledger, cluster)))
  // A later fact can decide for any of the orders that are named, and change those of today.
  const named = objects.flatMap(({ heard }) => [heard.claim?.[2], heard.link?.[2]]).filter((orderId) => typeof orderId === 'string')
  const touched = [...new Set([...orderIds, ...named, ...derived.flatMap(ordersOf)])]
  const { orders, payments } = touched.length === 0 ? { orders: [], payments: [] } : await loadOrders(tx, schema, touched, now)
  return {
    objects: new Map(ledger.objects),
    books: {
      ledger,
      orders: new Map(orders.map((order) => [order.orderId, order])),
      payments: new Map([...payments, ...derived].map((payment) => [nameOf(payment.provider, payment.objectKey), payment])),
    },
  }
}

async function loadClusters(tx: Transaction, schema: string, names: ObjectName[]): Promise<LedgerObject[]> {
  const found = await findObjects(tx, schema, names)
  if (found.length === 0) return []
  const clusters = distinct(found.map(({ provider, clusterKey }) => ({ provider, key: clusterKey })))
  await lockClusters(tx, schema, clusters)
  const objects = await loadObjects(tx, schema, clusters)
  const loaded = new Set(objects.map(({ provider, key }) => nameOf(provider, key)))
  // While we waited for the lock, another transaction may have joined this cluster to one that we do not hold.
  if (!found.every(({ provider, key }) => loaded.has(nameOf(provider, key)))) throw new ConflictError('Clusters were joined meanwhile')
  return objects
}

async function loadOrders(tx: Transaction, schema: string, orderIds: string[], now: Date) {
  await insertOrders(tx, schema, orderIds, now)
  const orders = await lockOrders(tx, schema, orderIds)
  return { orders, payments: await findPaymentsOfOrders(tx, schema, orderIds) }
}

async function saveObjects(tx: Transaction, schema: string, { ledger }: Books, before: Map<string, LedgerObject>): Promise<void> {
  const objects = [...ledger.objects]
  const made = objects.filter(([name]) => !before.has(name)).map(([, object]) => object)
  const changed = objects.filter(([name, object]) => before.has(name) && before.get(name) !== object).map(([, object]) => object)
  if (made.length > 0) await insertObjects(tx, schema, made)
  if (changed.length > 0) await updateObjects(tx, schema, changed)
}

function changedPayments(before: Map<string, Payment>, after: Map<string, Payment>): { saved: Payment[]; gone: Payment[] } {
  return {
    saved: [...after].filter(([name, payment]) => !isSamePayment(before.get(name), payment)).map(([, payment]) => payment),
    gone: [...before].filter(([name]) => !after.has(name)).map(([, payment]) => payment),
  }
}

function distinct(names: ObjectName[]): ObjectName[] {
  return [...new Map(names.map((name) => [nameOf(name.provider, name.key), name])).values()]
}
