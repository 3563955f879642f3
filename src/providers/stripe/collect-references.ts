import type { Reference, ReferenceKind } from '../../events/event.ts'
import type { StripeObject } from './stripe-object.ts'

const KIND_OF_PREFIX = mapOf({
  pi: 'payment_intent',
  ch: 'charge',
  py: 'charge',
  cs: 'checkout_session',
  in: 'invoice',
  sub: 'subscription',
  re: 'refund',
  pyr: 'refund',
  dp: 'dispute',
  du: 'dispute',
  cus: 'customer',
})

const KIND_OF_OBJECT = mapOf({
  payment_intent: 'payment_intent',
  charge: 'charge',
  'checkout.session': 'checkout_session',
  invoice: 'invoice',
  subscription: 'subscription',
  refund: 'refund',
  dispute: 'dispute',
  customer: 'customer',
})

/** Everything in the object by which people look for the event. E-mail addresses are kept in lower case. */
export function collectReferences(object: StripeObject, orderIds: string[]): Reference[] {
  const emails = [object.email, object.receipt_email, object.customer_email, object.customer_details?.email, object.billing_details?.email]
  const found: (Reference | undefined)[] = [
    ownReference(object),
    reference('payment_intent', object.payment_intent),
    reference('charge', object.charge),
    reference('charge', object.latest_charge),
    reference('invoice', object.invoice),
    reference('subscription', object.subscription),
    reference('customer', object.customer),
    ...orderIds.map((orderId) => reference('order', orderId)),
    ...emails.map((email) => reference('email', email?.toLowerCase())),
  ]
  return withoutRepeats(found.filter((item) => item !== undefined))
}

function ownReference({ id, object }: StripeObject): Reference | undefined {
  const kind = KIND_OF_OBJECT.get(object ?? '') ?? kindOfId(id ?? '')
  return kind && reference(kind, id)
}

function kindOfId(id: string): ReferenceKind | undefined {
  return KIND_OF_PREFIX.get(id.split('_')[0] ?? '')
}

export function referenceOfId(id: string): Reference | undefined {
  const kind = kindOfId(id)
  return kind && reference(kind, id)
}

/** A B-tree refuses long values and PostgreSQL text has no NUL; nobody looks for either. */
function reference(kind: ReferenceKind, value: string | null | undefined): Reference | undefined {
  if (!value || [...value].length > 255 || value.includes('\0')) return undefined
  // Lone surrogates have no UTF-8 and would be stored as another value.
  return value.isWellFormed() ? { kind, value } : undefined
}

function withoutRepeats(references: Reference[]): Reference[] {
  return [...new Map(references.map((item) => [`${item.kind} ${item.value}`, item])).values()]
}

/** A Map, since a sender may call an object `constructor`. */
function mapOf(kinds: Record<string, ReferenceKind>): ReadonlyMap<string, ReferenceKind> {
  return new Map(Object.entries(kinds))
}
