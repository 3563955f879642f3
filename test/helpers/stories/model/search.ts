import type { ObjectKind, ObjectRef, PaymentFact } from '../../../../src/events/payment-fact.ts'
import type { Told } from './world.ts'

export type Key = (number | bigint | string)[]

export function isSame(left: ObjectRef, right: ObjectRef): boolean {
  return left.kind === right.kind && left.id === right.id
}

/** All that was ever said of these objects. */
export function factsOf({ facts }: Told, ...objects: ObjectRef[]): PaymentFact[] {
  return facts.filter((fact) => objects.some((object) => isSame(object, fact.object)))
}

/** Named means in either direction; the smallest id first. */
export function namedWith({ facts }: Told, object: ObjectRef, kind: ObjectKind): ObjectRef[] {
  const namedByIt = facts.filter((fact) => isSame(fact.object, object)).flatMap(({ relatesTo }) => relatesTo)
  const namingIt = facts.filter(({ relatesTo }) => relatesTo.some((ref) => isSame(ref, object))).map((fact) => fact.object)
  return distinct([...namedByIt, ...namingIt].filter((ref) => ref.kind === kind))
}

/** Every object of a kind that was spoken of or named. */
export function objectsOf({ facts }: Told, kind: ObjectKind): ObjectRef[] {
  return distinct(facts.flatMap(({ object, relatesTo }) => [object, ...relatesTo]).filter((ref) => ref.kind === kind))
}

/** Without repeats, the smallest id first. */
export function distinct(refs: ObjectRef[]): ObjectRef[] {
  const first = refs.filter((ref, index) => refs.findIndex((other) => isSame(other, ref)) === index)
  return first.sort((left, right) => compareKeys([left.kind, left.id], [right.kind, right.id]))
}

export function greatest<Item>(items: Item[], key: (item: Item) => Key): Item | undefined {
  return [...items].sort((left, right) => compareKeys(key(left), key(right))).at(-1)
}

export function smallest<Item>(items: Item[], key: (item: Item) => Key): Item | undefined {
  return [...items].sort((left, right) => compareKeys(key(left), key(right)))[0]
}

/** By the first place in which they differ. */
export function compareKeys(left: Key, right: Key): number {
  const place = left.findIndex((part, index) => part !== right[index])
  const [a, b] = [left[place], right[place]]
  if (a === undefined || b === undefined) return 0
  return a < b ? -1 : 1
}

export function sum(amounts: bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

export function largest(...amounts: bigint[]): bigint {
  return greatest([0n, ...amounts], (amount) => [amount]) ?? 0n
}

export function atMost(limit: bigint, amount: bigint): bigint {
  return amount < limit ? amount : limit
}
