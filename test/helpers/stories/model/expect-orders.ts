import { allOrdersNamed } from './claims.ts'
import { deriveOrder } from './derive-order.ts'
import { type DerivedPayment, derivePayment } from './derive-payment.ts'
import { allPayments } from './payments.ts'
import type { Expectation, ExpectedOrder, Told, World } from './world.ts'

/**
 * What the rules of docs/order-status.md make of everything that was heard: it keeps all of it and answers each question by
 * searching for what the rule says, so it is slow, and knows nothing of arrival.
 */
export function expectOrders(world: World): Expectation {
  const tales = byProvider(world)
  const payments = tales.flatMap(([provider, told]) => allPayments(told).flatMap((payment) => derivePayment(told, provider, payment) ?? []))
  const byPeople = [...world.links, ...world.registrations].map(({ orderId }) => orderId)
  const named = [...tales.flatMap(([, told]) => allOrdersNamed(told)), ...byPeople]
  const unmatched = payments.filter(({ orderId }) => orderId === undefined).map(({ paymentId }) => paymentId)
  return { orders: [...new Set(named)].sort().map((orderId) => expectOrder(world, payments, orderId)), unmatched: unmatched.sort() }
}

function byProvider({ facts, links }: World): [string, Told][] {
  const providers = [...new Set(facts.map(({ provider }) => provider))]
  return providers.map((provider) => [provider, { facts: facts.filter((fact) => fact.provider === provider), links }])
}

function expectOrder({ registrations }: World, payments: DerivedPayment[], orderId: string): ExpectedOrder {
  return deriveOrder({
    orderId,
    registration: registrations.findLast((registration) => registration.orderId === orderId),
    payments: payments.filter((payment) => payment.orderId === orderId),
    isConflicting: payments.some(({ conflicting }) => conflicting.includes(orderId)),
  })
}
