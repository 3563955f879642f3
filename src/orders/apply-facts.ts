import type { PaymentFact } from '../events/payment-fact.ts'
import { deriveOrder } from './derive-order.ts'
import { derivePayments } from './derive-payments.ts'
import { applyFact, type Ledger, nameOf, objectsOf } from './ledger.ts'
import { noteOfRefusal } from './note-of-refusal.ts'
import type { HistoryEntry, Order, Payment } from './order.ts'
import { isSamePayment, isSameToPeople } from './same.ts'

/** What one event says, in the order in which it says it; `isRepeat` where it was applied before. */
export type EventFacts = {
  messageId: string
  isRepeat: boolean
  replayId?: string | undefined
  correlationId?: string | undefined
  facts: PaymentFact[]
}

/**
 * All that a batch of facts can touch: whole clusters, the orders that they are or could be for, and every payment of these
 * orders. Payments of a cluster are derived from it when they are needed, the others are as they were stored.
 */
export type Books = { ledger: Ledger; orders: Map<string, Order>; payments: Map<string, Payment> }

/** Derives clusters anew that something else than an event changed; returns the orders whose payments are no longer the same. */
export function rederiveClusters(books: Books, clusters: string[]): string[] {
  const byOrder = groupByOrder(books.payments)
  const orderIds = new Set(clusters.flatMap((cluster) => rederivePayments(books, byOrder, cluster)))
  for (const orderId of orderIds) updateOrder(books, byOrder, orderId)
  return [...orderIds]
}

// Deriving takes about 3 µs an object; of so many, once for a batch has to do.
const LARGE_CLUSTER = 500

/**
 * Applies the facts of one event after the other, so that each change of an order stands in its history with its cause. Of the
 * events of a batch that change a large cluster, the last one stands for all of them.
 */
export function applyEvents(books: Books, events: EventFacts[], now: Date): HistoryEntry[] {
  const byOrder = groupByOrder(books.payments)
  const postponed = new Map<string, EventFacts>()
  const entries = events.flatMap((event) => {
    const changed = hearEvent(books.ledger, event)
    const large = changed.filter((cluster) => isLarge(books.ledger, cluster))
    for (const cluster of large) postponed.set(cluster, event)
    const told = tellChanges({ books, byOrder, clusters: changed.filter((cluster) => !large.includes(cluster)), event, now })
    return told.length > 0 || event.isRepeat ? told : refusals({ books, event, now })
  })
  const last = [...postponed].flatMap(([cluster, event]) => tellChanges({ books, byOrder, clusters: [cluster], event, now }))
  return [...entries, ...last]
}

/** Returns the clusters that have news. */
function hearEvent(ledger: Ledger, { facts }: EventFacts): string[] {
  return [...new Set(facts.map((fact) => applyFact(ledger, fact)).flatMap(({ cluster, isNews }) => (isNews ? [cluster] : [])))]
}

function isLarge(ledger: Ledger, cluster: string): boolean {
  return (ledger.clusters.get(cluster)?.size ?? 0) > LARGE_CLUSTER
}

type Changes = { books: Books; byOrder: ByOrder; clusters: string[]; event: EventFacts; now: Date }

function tellChanges({ books, byOrder, clusters, event, now }: Changes): HistoryEntry[] {
  // What has been joined to another cluster since is derived with that.
  const there = clusters.filter((cluster) => books.ledger.clusters.has(cluster))
  const orderIds = new Set(there.flatMap((cluster) => rederivePayments(books, byOrder, cluster)))
  return [...orderIds].sort().flatMap((orderId) => {
    const { before, after } = updateOrder(books, byOrder, orderId)
    if (isSameToPeople(before, after)) return []
    return [entry(event, now, { orderId, from: before.status, to: after.status, note: null })]
  })
}

type ByOrder = Map<string, Set<string>>

/** Replaces the payments of a cluster; returns the orders whose payments are no longer the same. */
function rederivePayments({ ledger, payments }: Books, byOrder: ByOrder, cluster: string): string[] {
  const objects = objectsOf(ledger, cluster)
  const after = new Map(derivePayments(objects).map((payment) => [nameOf(payment.provider, payment.objectKey), payment]))
  const names = new Set([...objects.map(({ provider, key }) => nameOf(provider, key)), ...after.keys()])
  return [...names].flatMap((name) => {
    const [was, is] = [payments.get(name), after.get(name)]
    if (isSamePayment(was, is)) return []
    if (is) payments.set(name, is)
    else payments.delete(name)
    for (const orderId of ordersOf(was)) byOrder.get(orderId)?.delete(name)
    for (const orderId of ordersOf(is)) byOrder.set(orderId, (byOrder.get(orderId) ?? new Set()).add(name))
    return [...ordersOf(was), ...ordersOf(is)]
  })
}

function updateOrder(books: Books, byOrder: ByOrder, orderId: string): { before: Order; after: Order } {
  const before = books.orders.get(orderId)
  if (!before) throw new Error('An order of a payment is not in the books')
  const after = { ...before, ...deriveOrder(registrationOf(before), paymentsOf(books, byOrder, orderId)) }
  books.orders.set(orderId, after)
  return { before, after }
}

type Refusals = { books: Books; event: EventFacts; now: Date }

/** An event that says what no longer can be leaves a note, so that support sees why nothing happened. */
function refusals({ books, event, now }: Refusals): HistoryEntry[] {
  return event.facts.slice(0, 1).flatMap((fact) => {
    const cluster = clusterOfFact(books.ledger, fact)
    if (isLarge(books.ledger, cluster)) return []
    return derivePayments(objectsOf(books.ledger, cluster)).flatMap((payment) => {
      const note = noteOfRefusal(fact, payment)
      const order = books.orders.get(payment.orderId ?? '')
      return note && order ? [entry(event, now, { orderId: order.orderId, from: order.status, to: order.status, note })] : []
    })
  })
}

function clusterOfFact(ledger: Ledger, { provider, object }: PaymentFact): string {
  const stored = ledger.objects.get(nameOf(provider, `${object.kind}/${object.id}`))
  return nameOf(provider, stored?.clusterKey ?? '')
}

function entry(
  { messageId, replayId, correlationId, facts }: EventFacts,
  at: Date,
  change: Pick<HistoryEntry, 'orderId' | 'from' | 'to' | 'note'>,
): HistoryEntry {
  return { ...change, at, messageId, replayId: replayId ?? null, correlationId: correlationId ?? null, fact: facts[0]?.name ?? null }
}

export function registrationOf({ orderId, registeredCurrency, expectedMinor, account }: Order) {
  return { orderId, currency: registeredCurrency, expectedMinor, account }
}

function paymentsOf({ payments }: Books, byOrder: ByOrder, orderId: string): Payment[] {
  return [...(byOrder.get(orderId) ?? [])].map((name) => payments.get(name) as Payment)
}

export function ordersOf(payment: Payment | undefined): string[] {
  if (!payment) return []
  return payment.orderId === null ? payment.rivalOrderIds : [payment.orderId, ...payment.rivalOrderIds]
}

function groupByOrder(payments: Map<string, Payment>): ByOrder {
  const groups: ByOrder = new Map()
  for (const [name, payment] of payments) {
    for (const orderId of ordersOf(payment)) groups.set(orderId, (groups.get(orderId) ?? new Set()).add(name))
  }
  return groups
}
