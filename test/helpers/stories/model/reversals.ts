import type { ObjectRef } from '../../../../src/events/payment-fact.ts'
import { chargeOfRefund, chargesOf, disputesOf, refundsOf } from './belonging.ts'
import { amountOf, disputeStateFact, isFailedRefund, mostSaid, refundedSoFar, refundMadeAt, refundStateFact } from './kept.ts'
import { receivedOf } from './payments.ts'
import { atMost, factsOf, isSame, largest, smallest, sum } from './search.ts'
import type { Told } from './world.ts'

/** For each charge the larger of both views; never more than the payment received. */
export function refundedOf(told: Told, payment: ObjectRef): bigint {
  const charges = chargesOf(told, payment)
  const refunds = refundsOf(told, payment)
  // With no charge known, what is known by id is all there is.
  const withoutCharge = charges.length === 0 ? sumOfRefunds(told, refunds, 0n) : 0n
  return atMost(receivedOf(told, payment), sum([withoutCharge, ...charges.map((charge) => refundedOfCharge(told, charge, payment))]))
}

function refundedOfCharge(told: Told, charge: ObjectRef, payment: ObjectRef): bigint {
  const refunds = refundsOf(told, payment).filter((refund) => {
    const itsCharge = chargeOfRefund(told, refund, payment)
    return itsCharge !== undefined && isSame(itsCharge, charge)
  })
  const released = mostSaid(told, 'releasedMinor', charge)
  return largest(sumOfRefunds(told, refunds, released), mostHeard(told, charge, refunds))
}

/** (a) The refunds that are neither failed nor canceled, without the oldest of exactly the amount that was released. */
function sumOfRefunds(told: Told, refunds: ObjectRef[], released: bigint): bigint {
  const standing = refunds.filter((refund) => !hasFailed(told, refund))
  const ofThatAmount = standing.filter((refund) => released > 0n && refundAmount(told, refund) === released)
  const release = smallest(ofThatAmount, (refund) => [refundMadeAt(told, refund), refund.id])
  return sum(standing.filter((refund) => refund !== release).map((refund) => refundAmount(told, refund)))
}

/** (b) The most heard as refunded so far, each less the refunds that had been made by then and failed or were canceled in that second or later. */
function mostHeard(told: Told, charge: ObjectRef, refunds: ObjectRef[]): bigint {
  const heard = refundedSoFar(told, charge).map(({ amount, at }) => {
    const failedLater = refunds.filter(
      (refund) => refundMadeAt(told, refund) <= at && hasFailed(told, refund) && failedAt(told, refund) >= at,
    )
    return amount - sum(failedLater.map((refund) => refundAmount(told, refund)))
  })
  return largest(...heard)
}

function hasFailed(told: Told, refund: ObjectRef): boolean {
  return isFailedRefund(refundStateFact(told, refund) ?? {})
}

/** The first time that was said. */
function failedAt(told: Told, refund: ObjectRef): number {
  return Math.min(
    ...factsOf(told, refund)
      .filter(isFailedRefund)
      .map(({ occurredAt }) => occurredAt.getTime()),
  )
}

function refundAmount(told: Told, refund: ObjectRef): bigint {
  return amountOf(told, refund)?.amountMinor ?? 0n
}

function disputesIn(told: Told, payment: ObjectRef, wanted: string): ObjectRef[] {
  return disputesOf(told, payment).filter((dispute) => disputeStateFact(told, dispute)?.state === wanted)
}

export function hasDispute(told: Told, payment: ObjectRef, state: 'inquiry' | 'open' | 'lost'): boolean {
  return disputesIn(told, payment, state).length > 0
}

/** `open` holds the payment. */
export function disputedOf(told: Told, payment: ObjectRef): bigint {
  return sum(disputesIn(told, payment, 'open').map((dispute) => amountOf(told, dispute)?.amountMinor ?? 0n))
}

/** `lost` took the money, at most what was left after refunds. */
export function chargedBackOf(told: Told, payment: ObjectRef): bigint {
  const lost = sum(disputesIn(told, payment, 'lost').map((dispute) => amountOf(told, dispute)?.amountMinor ?? 0n))
  return atMost(receivedOf(told, payment) - refundedOf(told, payment), lost)
}
