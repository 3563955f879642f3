import type { ObjectRef } from '../../../../src/events/payment-fact.ts'
import { chargesOf, checkoutsOf, disputesOf, invoicesOf, refundsOf } from './belonging.ts'
import { type Claim, claimOf } from './claims.ts'
import { type Amount, accountFact, amountOf, disputeStateFact, refundStateFact, settlementOf } from './kept.ts'
import { type Decided, isOutOfBand, receivedOf, stateOf } from './payments.ts'
import { chargedBackOf, disputedOf, hasDispute, refundedOf } from './reversals.ts'
import { factsOf } from './search.ts'
import type { ExpectedDispute, ExpectedRefund, Told } from './world.ts'

/** All that an order asks of a payment. */
export type DerivedPayment = Amount &
  Decided &
  Claim & {
    provider: string
    paymentId: string
    received: bigint
    refunded: bigint
    chargedBack: bigint
    disputed: bigint
    hasOpenDispute: boolean
    hasLostDispute: boolean
    hasInquiry: boolean
    isOutOfBand: boolean
    account: string | null
    livemode: boolean | null
    firstHeardAt: number
    refunds: ExpectedRefund[]
    disputes: ExpectedDispute[]
  }

/** A payment of which no event said currency and amount is not shown. */
export function derivePayment(told: Told, provider: string, payment: ObjectRef): DerivedPayment | undefined {
  const levels = exactness(told, payment)
  const amount = firstOf(levels, (objects) => amountOf(told, ...objects)) ?? firstOf(levels, (objects) => settlementOf(told, ...objects))
  if (!amount) return undefined
  const owner = firstOf(levels, (objects) => accountFact(told, ...objects))
  return {
    provider,
    paymentId: payment.id,
    currency: amount.currency,
    amountMinor: amount.amountMinor,
    ...stateOf(told, payment),
    ...claimOf(told, payment),
    received: receivedOf(told, payment),
    refunded: refundedOf(told, payment),
    chargedBack: chargedBackOf(told, payment),
    disputed: disputedOf(told, payment),
    hasOpenDispute: hasDispute(told, payment, 'open'),
    hasLostDispute: hasDispute(told, payment, 'lost'),
    hasInquiry: hasDispute(told, payment, 'inquiry'),
    isOutOfBand: isOutOfBand(told, payment),
    account: owner?.account ?? null,
    livemode: owner?.livemode ?? null,
    firstHeardAt: firstHeardAt(told, payment),
    refunds: refundsOf(told, payment).flatMap((refund) => showRefund(told, refund)),
    disputes: disputesOf(told, payment).flatMap((dispute) => showDispute(told, dispute)),
  }
}

/** The payment, then its charges, then its checkouts, then its invoices. */
function exactness(told: Told, payment: ObjectRef): ObjectRef[][] {
  return [[payment], chargesOf(told, payment), checkoutsOf(told, payment), invoicesOf(told, payment)]
}

function firstOf<Value>(levels: ObjectRef[][], find: (objects: ObjectRef[]) => Value | undefined): Value | undefined {
  return levels.map(find).find((value) => value !== undefined)
}

/** Of the payment, its charges and its own checkouts; where only an invoice spoke, of that. */
function firstHeardAt(told: Told, payment: ObjectRef): number {
  const own = factsOf(told, payment, ...chargesOf(told, payment), ...checkoutsOf(told, payment))
  const heard = own.length > 0 ? own : factsOf(told, ...invoicesOf(told, payment))
  return Math.min(...heard.map(({ occurredAt }) => occurredAt.getTime()))
}

function showRefund(told: Told, refund: ObjectRef): ExpectedRefund[] {
  const amount = amountOf(told, refund)
  if (!amount) return []
  const status = refundStateFact(told, refund)?.state ?? 'pending'
  return [{ refund_id: refund.id, status, amount_minor: Number(amount.amountMinor), currency: amount.currency }]
}

function showDispute(told: Told, dispute: ObjectRef): ExpectedDispute[] {
  const amount = amountOf(told, dispute)
  if (!amount) return []
  const status = disputeStateFact(told, dispute)?.state ?? 'open'
  return [{ dispute_id: dispute.id, status, amount_minor: Number(amount.amountMinor), currency: amount.currency }]
}
