import type { PaymentFact } from '../events/payment-fact.ts'
import { deriveOrder } from './derive-order.ts'
import { mergeFact } from './merge-fact.ts'
import type { HistoryEntry, Order, Payment } from './order.ts'

/** The orders and payments that a batch of facts can touch; every payment of each order is in it. */
export type Ledger = { orders: Map<string, Order>; payments: Map<string, Payment> }

export function paymentKey({ provider, paymentId }: { provider: string; paymentId: string }): string {
  return `${provider} ${paymentId}`
}

/** Merges the facts one after the other, so that each change of an order stands in its history with its cause. */
export function applyFacts(ledger: Ledger, facts: PaymentFact[], now: Date): HistoryEntry[] {
  const paymentsOfOrder = groupByOrder(ledger.payments)
  return facts.flatMap((fact) => {
    const key = paymentKey(fact)
    const before = ledger.payments.get(key)
    const after = mergeFact(before, fact)
    ledger.payments.set(key, after)
    if (before?.orderId) paymentsOfOrder.get(before.orderId)?.delete(key)
    if (after.orderId) groupOf(paymentsOfOrder, after.orderId).set(key, after)
    return affectedOrders(before, after).flatMap((orderId) =>
      rederive({ ledger, orderId, payments: groupOf(paymentsOfOrder, orderId), fact, now }),
    )
  })
}

type Rederivation = { ledger: Ledger; orderId: string; payments: Map<string, Payment>; fact: PaymentFact; now: Date }

function rederive({ ledger, orderId, payments, fact, now }: Rederivation): HistoryEntry[] {
  const order = ledger.orders.get(orderId)
  if (!order) throw new Error('An order of a payment is not in the ledger')
  const registration = { currency: order.registeredAt ? order.currency : null, expectedMinor: order.expectedMinor }
  const derived = deriveOrder(registration, [...payments.values()])
  ledger.orders.set(orderId, { ...order, ...derived })
  if (derived.status === order.status && derived.paidMinor === order.paidMinor && derived.refundedMinor === order.refundedMinor) return []
  return [{ orderId, at: now, from: order.status, to: derived.status, messageId: fact.messageId, fact: fact.name, note: null }]
}

function affectedOrders(before: Payment | undefined, after: Payment): string[] {
  return [...new Set([before?.orderId, after.orderId])].filter((orderId) => orderId !== null && orderId !== undefined)
}

type PaymentsOfOrder = Map<string, Map<string, Payment>>

function groupByOrder(payments: Map<string, Payment>): PaymentsOfOrder {
  const groups: PaymentsOfOrder = new Map()
  for (const [key, payment] of payments) if (payment.orderId) groupOf(groups, payment.orderId).set(key, payment)
  return groups
}

function groupOf(groups: PaymentsOfOrder, orderId: string): Map<string, Payment> {
  const group = groups.get(orderId) ?? new Map<string, Payment>()
  groups.set(orderId, group)
  return group
}
