import type { PaymentFact, PaymentState } from '../events/payment-fact.ts'
import type { Payment } from './order.ts'

const FURTHER: Record<PaymentState, number> = {
  created: 0,
  requires_action: 1,
  processing: 2,
  authorized: 3,
  failed: 4,
  canceled: 5,
  succeeded: 6,
}
const EXACTNESS = { payment: 3, charge: 2, checkout: 1 } as const
const SUCCEEDED_RANK = 9

/**
 * Adds one fact to what is known of its payment. Every field is the maximum of a total order, so the result does
 * not depend on the order in which facts are merged, nor on how often.
 */
export function mergeFact(known: Payment | undefined, fact: PaymentFact): Payment {
  const heard = toPayment(fact)
  if (!known) return heard
  const state = compareState(heard, known) > 0 ? heard : known
  const received = compareReceived(heard, known) > 0 ? heard : known
  const claim = compareClaim(heard, known) > 0 ? heard : known
  return {
    ...state,
    orderId: claim.orderId,
    claimRank: claim.claimRank,
    claimedAt: claim.claimedAt,
    succeededAt: earliest(heard.succeededAt, known.succeededAt),
    receivedMinor: received.receivedMinor,
    receivedRank: received.receivedRank,
    refundedMinor: max(heard.refundedMinor, known.refundedMinor),
  }
}

function toPayment(fact: PaymentFact): Payment {
  return {
    provider: fact.provider,
    paymentId: fact.paymentId,
    orderId: fact.orderId ?? null,
    claimRank: fact.orderId === undefined ? null : EXACTNESS[fact.source],
    claimedAt: fact.orderId === undefined ? null : fact.occurredAt,
    state: fact.state ?? 'created',
    stateRank: rankState(fact),
    stateAt: fact.occurredAt,
    stateEventId: fact.eventId,
    currency: fact.currency,
    amountMinor: fact.amountMinor,
    succeededAt: fact.state === 'succeeded' ? fact.occurredAt : null,
    receivedMinor: fact.receivedMinor,
    receivedRank: fact.receivedMinor > 0n ? EXACTNESS[fact.source] : 0,
    refundedMinor: fact.refundedMinor,
    account: fact.account,
    livemode: fact.livemode,
  }
}

/** Success is final; else the most exact source decides. That a payment was made says the least. */
function rankState({ state, source }: PaymentFact): number {
  if (state === 'succeeded') return SUCCEEDED_RANK
  return state === undefined || state === 'created' ? 0 : EXACTNESS[source]
}

function compareState(left: Payment, right: Payment): number {
  return (
    left.stateRank - right.stateRank ||
    left.stateAt.getTime() - right.stateAt.getTime() ||
    FURTHER[left.state] - FURTHER[right.state] ||
    compareText(left.stateEventId, right.stateEventId) ||
    // One event delivered in two API versions can say two amounts; which arrived first must not decide.
    compareText(bodyOf(left), bodyOf(right))
  )
}

function bodyOf({ amountMinor, currency, account, livemode }: Payment): string {
  return [amountMinor, currency, account, livemode].join(' ')
}

/** What the intent received, else what its charge did, else the total of the checkout. */
function compareReceived(left: Payment, right: Payment): number {
  return left.receivedRank - right.receivedRank || (left.receivedMinor < right.receivedMinor ? -1 : 1)
}

/** The payment's own word before a checkout's, the later before the earlier, then the smaller text. */
function compareClaim(left: Payment, right: Payment): number {
  return (
    (left.claimRank ?? 0) - (right.claimRank ?? 0) ||
    (left.claimedAt?.getTime() ?? 0) - (right.claimedAt?.getTime() ?? 0) ||
    compareText(right.orderId ?? '', left.orderId ?? '')
  )
}

function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

function earliest(left: Date | null, right: Date | null): Date | null {
  if (!left || !right) return left ?? right
  return left < right ? left : right
}

function max(left: bigint, right: bigint): bigint {
  return left > right ? left : right
}
