import type { DisputeState, PaymentFact, PaymentState, RefundState } from '../events/payment-fact.ts'
import { keyOf } from './object-key.ts'

/** Compared element by element; the greater one is kept. Times are RFC 3339, whose texts sort as they happened. */
export type Stamp = (string | number)[]

/**
 * What is known of one object: each field is the join of everything heard, so the result depends neither on the order in which
 * facts are merged nor on how often. Stored as JSON; amounts are safe integers, which the adapters see to.
 */
export type Heard = {
  /** Class, time, rank, event, state. Success is not in it, since it is final. */
  state?: Stamp
  succeededAt?: string
  firstAt?: string
  /** Time, event, currency, amount. */
  money?: Stamp
  /** The same of what an invoice says that this payment paid of it. */
  settlement?: Stamp
  /** Time, event, account ('' for our own), livemode (1, 0, or -1 where it is not said). */
  origin?: Stamp
  /** Time, event, order. */
  claim?: Stamp
  /** Time, id of the link, order. */
  link?: Stamp
  startedAt?: string
  /** The first time that a refund was said to have failed or to be canceled. */
  endedAt?: string
  received?: number
  settled?: number
  released?: number
  isOutOfBand?: boolean
  refundedSeen?: Observation[]
  related?: string[]
}

/** An amount and when it was said. */
export type Observation = [number, string]

const PAYMENT_RANK: Record<PaymentState, number> = {
  created: 0,
  requires_action: 1,
  processing: 2,
  authorized: 3,
  failed: 4,
  canceled: 5,
  succeeded: 6,
}
const REFUND_RANK: Record<RefundState, number> = { pending: 0, requires_action: 1, succeeded: 2, canceled: 3, failed: 4 }
const DISPUTE_CLASS: Record<DisputeState, number> = { inquiry: 0, inquiry_closed: 1, open: 2, won: 3, prevented: 3, refunded: 3, lost: 3 }
const DISPUTE_RANK: Record<DisputeState, number> = { inquiry: 0, inquiry_closed: 0, open: 0, won: 0, prevented: 1, refunded: 2, lost: 3 }

/** What one fact says of its object. */
export function toHeard(fact: PaymentFact): Heard {
  const at = fact.occurredAt.toISOString()
  const isPaid = fact.state === 'succeeded' && fact.object.kind !== 'refund'
  return {
    firstAt: at,
    origin: [at, fact.eventId, fact.account ?? '', fact.livemode === null ? -1 : Number(fact.livemode)],
    ...(isPaid && { succeededAt: at }),
    ...(fact.state !== undefined && !isPaid && { state: toStateStamp(fact, at) }),
    ...toMoney(fact, at),
    ...(fact.orderId !== undefined && { claim: [at, fact.eventId, fact.orderId] }),
    ...(fact.startedAt !== undefined && { startedAt: fact.startedAt.toISOString() }),
    ...(isFailedRefund(fact) && { endedAt: at }),
    ...(fact.receivedMinor !== undefined && { received: Number(fact.receivedMinor) }),
    ...(fact.settledMinor !== undefined && { settled: Number(fact.settledMinor) }),
    ...(fact.releasedMinor !== undefined && { released: Number(fact.releasedMinor) }),
    ...(fact.refundedMinor !== undefined && { refundedSeen: [[Number(fact.refundedMinor), at] satisfies Observation] }),
    ...(fact.isOutOfBand && { isOutOfBand: true }),
    ...(fact.relatesTo.length > 0 && { related: [...new Set(fact.relatesTo.map(keyOf))].sort() }),
  }
}

function toMoney({ eventId, currency, amountMinor, settledMinor }: PaymentFact, at: string): Pick<Heard, 'money' | 'settlement'> {
  if (currency === undefined) return {}
  return {
    ...(amountMinor !== undefined && { money: [at, eventId, currency, Number(amountMinor)] }),
    ...(settledMinor !== undefined && { settlement: [at, eventId, currency, Number(settledMinor)] }),
  }
}

function toStateStamp({ object, state, eventId }: PaymentFact, at: string): Stamp {
  if (object.kind === 'refund') {
    const refund = state as RefundState
    return [Number(isFailedRefund({ object, state })), at, REFUND_RANK[refund], eventId, refund]
  }
  if (object.kind === 'dispute') {
    const dispute = state as DisputeState
    return [DISPUTE_CLASS[dispute], at, DISPUTE_RANK[dispute], eventId, dispute]
  }
  const payment = state as PaymentState
  return [Number(payment !== 'created'), at, PAYMENT_RANK[payment], eventId, payment]
}

function isFailedRefund({ object, state }: { object: PaymentFact['object']; state?: PaymentFact['state'] | undefined }): boolean {
  return object.kind === 'refund' && (state === 'failed' || state === 'canceled')
}
