import type { PaymentFact } from '../../../src/events/payment-fact.ts'
import { applyEvents, type Books, rederiveClusters } from '../../../src/orders/apply-facts.ts'
import { derivePayments } from '../../../src/orders/derive-payments.ts'
import { buildLedger, hear, objectsOf } from '../../../src/orders/ledger.ts'
import type { Order } from '../../../src/orders/order.ts'
import { presentOrder } from '../../../src/orders/present-order.ts'
import type { ExpectedOrder, Link, Registration } from './model/world.ts'
import { pickOrder } from './pick-order.ts'

const NOW = new Date('2026-06-01T00:00:00.000Z')

export type Outcome = { orders: ExpectedOrder[]; unmatched: string[] }
export type StoryInput = { batches: PaymentFact[][]; links: Link[]; registrations: Registration[]; orderIds: string[] }

/** The product's own functions in memory: batches of facts as they arrive, the links between them, the registrations before. */
export function applyStory({ batches, links, registrations, orderIds }: StoryInput): Outcome {
  const books: Books = { ledger: buildLedger([]), orders: new Map(), payments: new Map() }
  for (const orderId of orderIds) books.orders.set(orderId, buildOrder(orderId, registrations))
  for (const facts of batches) applyEvents(books, facts.length > 0 ? [{ messageId: 'm', isRepeat: false, facts }] : [], NOW)
  for (const { object, at, linkId, orderId } of links) {
    const heard = { link: [at.toISOString(), linkId, orderId] }
    rederiveClusters(books, [hear(books.ledger, { provider: 'stripe', object, relatesTo: [], heard }).cluster])
  }
  return present(books)
}

function present({ ledger, orders }: Books): Outcome {
  const payments = [...ledger.clusters.keys()].flatMap((cluster) => derivePayments(objectsOf(ledger, cluster)))
  const shown = [...orders.values()].map((order) => {
    const named = payments.filter(({ orderId, rivalOrderIds }) => orderId === order.orderId || rivalOrderIds.includes(order.orderId))
    return pickOrder(presentOrder({ order: toRow(order), payments: named, history: [] }))
  })
  const unmatched = payments.filter(({ orderId }) => orderId === null).map(({ paymentId }) => paymentId)
  return { orders: shown.sort((left, right) => (left.order_id < right.order_id ? -1 : 1)), unmatched: unmatched.sort() }
}

function buildOrder(orderId: string, registrations: Registration[]): Order {
  const registration = registrations.find((one) => one.orderId === orderId)
  return {
    orderId,
    status: 'pending',
    currency: registration?.currency ?? null,
    paidMinor: 0n,
    refundedMinor: 0n,
    disputedMinor: 0n,
    chargedBackMinor: 0n,
    flags: registration ? [] : ['unregistered'],
    registeredAt: registration ? NOW : null,
    registeredCurrency: registration?.currency ?? null,
    expectedMinor: registration?.expectedMinor ?? null,
    account: registration?.account ?? null,
    sequence: 0,
  }
}

function toRow({ registeredCurrency: _currency, ...order }: Order) {
  return { ...order, metadata: null, createdAt: NOW, updatedAt: NOW }
}
