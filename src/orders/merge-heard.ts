import { compareText } from './compare.ts'
import type { Heard, Observation, Stamp } from './heard.ts'

type Join<Value> = (known: Value, heard: Value) => Value

const later: Join<Stamp> = (known, heard) => (compareStamps(heard, known) > 0 ? heard : known)
const earlier: Join<string> = (known, heard) => (compareText(heard, known) < 0 ? heard : known)
const more: Join<number> = (known, heard) => Math.max(known, heard)

const JOINS: { [Field in keyof Heard]-?: Join<NonNullable<Heard[Field]>> } = {
  state: later,
  succeededAt: earlier,
  firstAt: earlier,
  money: later,
  settlement: later,
  origin: later,
  claim: later,
  link: later,
  startedAt: earlier,
  endedAt: earlier,
  received: more,
  settled: more,
  released: more,
  isOutOfBand: (known) => known,
  refundedSeen: mergeObservations,
  related: (known, heard) => (heard.every((key) => known.includes(key)) ? known : [...new Set([...known, ...heard])].sort()),
}

/** The join of both: associative, commutative and idempotent. Returns `known` itself where nothing new was heard. */
export function mergeHeard(known: Heard, heard: Heard): Heard {
  const changes = Object.entries(heard).flatMap(([field, value]) => {
    const before = known[field as keyof Heard]
    const after = before === undefined ? value : (JOINS[field as keyof Heard] as Join<unknown>)(before, value)
    return after === before ? [] : [[field, after]]
  })
  return changes.length === 0 ? known : { ...known, ...Object.fromEntries(changes) }
}

export function compareStamps(left: Stamp, right: Stamp): number {
  for (const [index, value] of left.entries()) {
    const other = right[index]
    if (value !== other) return other === undefined || value > other ? 1 : -1
  }
  return left.length - right.length
}

/** An amount says nothing beside one that is as large or larger and was said at the same time or later. */
function mergeObservations(known: Observation[], heard: Observation[]): Observation[] {
  const added = heard.filter((observation) => !known.some((other) => covers(other, observation)))
  if (added.length === 0) return known
  const kept = [...known.filter((observation) => !added.some((other) => covers(other, observation))), ...added]
  return kept.sort(([, left], [, right]) => (left < right ? -1 : 1))
}

function covers([amount, at]: Observation, [otherAmount, otherAt]: Observation): boolean {
  return amount >= otherAmount && at >= otherAt
}
