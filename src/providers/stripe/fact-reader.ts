import type { ObjectKind, ObjectRef, PaymentFact } from '../../events/payment-fact.ts'
import type { StripeObject } from './stripe-object.ts'

/** What a reader needs to know beside the object. */
export type ReadContext = { apiVersion: string | null; orderKeys: string[] }

/** A fact without what is the same for all facts of an event; amounts are as JSON gave them. */
export type FactDraft = Pick<PaymentFact, 'state' | 'isOutOfBand' | 'startedAt'> & {
  /** Instead of the rule's. */
  name?: string
  object: ObjectRef
  relatesTo?: (ObjectRef | undefined)[]
  currency?: string | null | undefined
  amount?: number | null | undefined
  received?: number | null | undefined
  settled?: number | null | undefined
  refunded?: number | undefined
  released?: number | undefined
  orderId?: string | undefined
}

/** `ignored`: it has nothing to do with a payment. `parked`: it has, and cannot be read. */
type Reading = FactDraft[] | { ignored: string } | { parked: string }

export type FactReader = (object: StripeObject, context: ReadContext) => Reading

/** How one event type is read. `effect` says for people what it can change; the documentation is checked against it. */
export type FactRule = { fact: string; effect: string; read: FactReader }

export function ref(kind: ObjectKind, id: string | null | undefined): ObjectRef | undefined {
  return id ? { kind, id } : undefined
}

/** The object itself; what it is worth without an id is judged where the drafts become facts. */
export function own(kind: ObjectKind, { id }: StripeObject): ObjectRef {
  return { kind, id: id ?? '' }
}

/** A charge belongs to its payment whoever says so. */
export function chargeOfPayment(charge: string | null | undefined, payment: string | null | undefined): FactDraft[] {
  return charge && payment ? [{ object: { kind: 'charge', id: charge }, relatesTo: [ref('payment', payment)] }] : []
}

/** Before https://docs.stripe.com/changelog/basil fields of invoices and the refunds of what was not captured were others. */
export function isBeforeBasil(apiVersion: string | null): boolean {
  return apiVersion !== null && apiVersion < '2025-03-31'
}
