import type { ObjectRef, PaymentFact } from '../../../../src/events/payment-fact.ts'
import { compareKeys, factsOf, greatest, type Key, smallest } from './search.ts'
import type { Told } from './world.ts'

const PAYMENT_STATES = ['created', 'requires_action', 'processing', 'authorized', 'failed', 'canceled', 'succeeded']
const REFUND_STATES = ['pending', 'requires_action', 'succeeded', 'canceled', 'failed']
const ENDED_DISPUTE_STATES = ['won', 'prevented', 'refunded', 'lost']
const DISPUTE_STAGES = ['inquiry', 'inquiry_closed', 'open', 'ended']

const timeOf = ({ occurredAt }: PaymentFact) => occurredAt.getTime()

/** What was said of the state of these payments, charges, checkouts or invoices: the earliest success, else the greatest. */
export function stateFact(told: Told, ...objects: ObjectRef[]): PaymentFact | undefined {
  return successFact(told, ...objects) ?? greatest(stateFacts(told, objects), paymentStateKey)
}

/** A success is final, and kept with its earliest time. */
export function successFact(told: Told, ...objects: ObjectRef[]): PaymentFact | undefined {
  return smallest(
    stateFacts(told, objects).filter(({ state }) => state === 'succeeded'),
    (fact) => [timeOf(fact)],
  )
}

export function refundStateFact(told: Told, refund: ObjectRef): PaymentFact | undefined {
  return greatest(stateFacts(told, [refund]), refundStateKey)
}

export function disputeStateFact(told: Told, dispute: ObjectRef): PaymentFact | undefined {
  return greatest(stateFacts(told, [dispute]), disputeStateKey)
}

function stateFacts(told: Told, objects: ObjectRef[]): PaymentFact[] {
  return factsOf(told, ...objects).filter(({ state }) => state !== undefined)
}

/** Anything before `created`; then the time it happened, the further state, the event id. */
function paymentStateKey(fact: PaymentFact): Key {
  return [fact.state === 'created' ? 0 : 1, timeOf(fact), PAYMENT_STATES.indexOf(fact.state ?? ''), fact.eventId]
}

/** Final before open; time; rank; event id. */
function refundStateKey(fact: PaymentFact): Key {
  return [isFailedRefund(fact) ? 1 : 0, timeOf(fact), REFUND_STATES.indexOf(fact.state ?? ''), fact.eventId]
}

export function isFailedRefund({ state }: Pick<PaymentFact, 'state'>): boolean {
  return state === 'failed' || state === 'canceled'
}

/** inquiry < inquiry_closed < open < ended; time; won < prevented < refunded < lost; event id. */
function disputeStateKey(fact: PaymentFact): Key {
  const endedRank = ENDED_DISPUTE_STATES.indexOf(fact.state ?? '')
  const stage = endedRank >= 0 ? 'ended' : (fact.state ?? '')
  return [DISPUTE_STAGES.indexOf(stage), timeOf(fact), endedRank, fact.eventId]
}

export type Amount = { currency: string; amountMinor: bigint }

/** Currency with amount: the greatest by time, event id, the value itself. */
export function amountOf(told: Told, ...objects: ObjectRef[]): Amount | undefined {
  const amounts = factsOf(told, ...objects).flatMap(({ currency, amountMinor, occurredAt, eventId }) =>
    currency === undefined || amountMinor === undefined ? [] : [{ currency, amountMinor, occurredAt, eventId }],
  )
  return greatest(amounts, (fact) => [fact.occurredAt.getTime(), fact.eventId, fact.currency, fact.amountMinor])
}

/** What an invoice says of currency and amount, in the same way. */
export function settlementOf(told: Told, ...objects: ObjectRef[]): Amount | undefined {
  const amounts = factsOf(told, ...objects).flatMap(({ currency, settledMinor, occurredAt, eventId }) =>
    currency === undefined || settledMinor === undefined ? [] : [{ currency, amountMinor: settledMinor, occurredAt, eventId }],
  )
  return greatest(amounts, (fact) => [fact.occurredAt.getTime(), fact.eventId, fact.currency, fact.amountMinor])
}

/** Account with mode: the greatest by time, event id, the value itself; null is the least of values. */
export function accountFact(told: Told, ...objects: ObjectRef[]): PaymentFact | undefined {
  return greatest(factsOf(told, ...objects), (fact) => [
    timeOf(fact),
    fact.eventId,
    fact.account ?? '',
    fact.livemode === null ? -1 : Number(fact.livemode),
  ])
}

/** The order that an object names: the greatest by time, event id, the value itself. */
export function orderNamed(told: Told, object: ObjectRef): string | undefined {
  const naming = factsOf(told, object).filter(({ orderId }) => orderId !== undefined)
  return greatest(naming, (fact) => [timeOf(fact), fact.eventId, fact.orderId ?? ''])?.orderId
}

export type AmountField = 'receivedMinor' | 'settledMinor' | 'releasedMinor'

/** Received, settled, released: the greatest amount. */
export function mostSaid(told: Told, field: AmountField, ...objects: ObjectRef[]): bigint {
  return greatest(amountsSaid(told, field, objects), (amount) => [amount]) ?? 0n
}

function amountsSaid(told: Told, field: AmountField, objects: ObjectRef[]): bigint[] {
  return factsOf(told, ...objects).flatMap((fact) => fact[field] ?? [])
}

/** When the refund was made; where nobody said it, when it was first heard of. */
export function refundMadeAt(told: Told, refund: ObjectRef): number {
  const facts = factsOf(told, refund)
  const said = facts.flatMap(({ startedAt }) => startedAt?.getTime() ?? [])
  return Math.min(...(said.length > 0 ? said : facts.map(timeOf)))
}

export type RefundedSoFar = { amount: bigint; at: number }

/** Each amount with its time, unless as much or more was heard at the same time or later. */
export function refundedSoFar(told: Told, charge: ObjectRef): RefundedSoFar[] {
  const heard = factsOf(told, charge).flatMap((fact) =>
    fact.refundedMinor === undefined ? [] : [{ amount: fact.refundedMinor, at: timeOf(fact) }],
  )
  return heard.filter((one) => !heard.some((other) => supersedes(other, one)))
}

function supersedes(other: RefundedSoFar, one: RefundedSoFar): boolean {
  const isSameSaying = compareKeys([other.amount, other.at], [one.amount, one.at]) === 0
  return !isSameSaying && other.amount >= one.amount && other.at >= one.at
}
