import type { ObjectRef } from '../../../../src/events/payment-fact.ts'
import { chargesOf, checkoutsOf, disputesOf, invoicesOf, refundsOf } from './belonging.ts'
import { orderNamed } from './kept.ts'
import { greatest, isSame, objectsOf } from './search.ts'
import type { Told } from './world.ts'

export type Claim = {
  orderId: string | undefined
  /** The orders named where no link was made and several are. */
  conflicting: string[]
}

export function claimOf(told: Told, payment: ObjectRef): Claim {
  const link = latestLink(told, linkable(told, payment))
  if (link !== undefined) return { orderId: link, conflicting: [] }
  const levels = namingLevels(told, payment).map((objects) => ordersNamed(told, objects))
  const all = [...new Set(levels.flat())]
  return { orderId: levels.find((orders) => orders.length > 0)?.[0], conflicting: all.length > 1 ? all : [] }
}

/** The payment's own; else its charges'; else that of its checkouts, its invoices and their checkouts. */
function namingLevels(told: Told, payment: ObjectRef): ObjectRef[][] {
  if (payment.kind === 'invoice') return [invoiceWithCheckouts(told, payment)]
  return [[payment], chargesOf(told, payment), [...checkoutsOf(told, payment), ...invoicesWithCheckouts(told, payment)]]
}

/** The payment or anything that belongs to it, or its invoice. */
function linkable(told: Told, payment: ObjectRef): ObjectRef[] {
  if (payment.kind === 'invoice') return invoiceWithCheckouts(told, payment)
  return [
    payment,
    ...chargesOf(told, payment),
    ...checkoutsOf(told, payment),
    ...refundsOf(told, payment),
    ...disputesOf(told, payment),
    ...invoicesWithCheckouts(told, payment),
  ]
}

function invoiceWithCheckouts(told: Told, invoice: ObjectRef): ObjectRef[] {
  return [invoice, ...checkoutsOf(told, invoice)]
}

function invoicesWithCheckouts(told: Told, payment: ObjectRef): ObjectRef[] {
  return invoicesOf(told, payment).flatMap((invoice) => invoiceWithCheckouts(told, invoice))
}

function latestLink(told: Told, objects: ObjectRef[]): string | undefined {
  const links = told.links.filter((link) => objects.some((object) => isSame(object, link.object)))
  return greatest(links, ({ at, linkId }) => [at.getTime(), linkId])?.orderId
}

/** At one level the smaller text first. */
function ordersNamed(told: Told, objects: ObjectRef[]): string[] {
  return [...new Set(objects.flatMap((object) => orderNamed(told, object) ?? []))].sort()
}

/** Every order that an object names, also where another order won. */
export function allOrdersNamed(told: Told): string[] {
  const kinds = ['payment', 'charge', 'checkout', 'invoice'] as const
  return ordersNamed(
    told,
    kinds.flatMap((kind) => objectsOf(told, kind)),
  )
}
