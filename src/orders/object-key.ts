import type { ObjectKind, ObjectRef } from '../events/payment-fact.ts'

/** `charge/ch_1`: one text that names an object among all of its provider. */
export function keyOf({ kind, id }: ObjectRef): string {
  return `${kind}/${id}`
}

export function refOf(key: string): ObjectRef {
  const slash = key.indexOf('/')
  return { kind: key.slice(0, slash) as ObjectKind, id: key.slice(slash + 1) }
}

export function kindOf(key: string): ObjectKind {
  return refOf(key).kind
}

const KINDS: ObjectKind[] = ['payment', 'charge', 'checkout', 'invoice', 'refund', 'dispute']

/** Every key under which an object of this id can be kept; a person does not say of which kind it is. */
export function keysOf(id: string): string[] {
  return KINDS.map((kind) => keyOf({ kind, id }))
}
