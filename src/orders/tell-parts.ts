import type { DisputeState, ObjectRef, RefundState } from '../events/payment-fact.ts'
import { compareText } from './compare.ts'
import { amountOf } from './derive-refunded.ts'
import type { PaymentParts } from './group-objects.ts'
import type { LedgerObject } from './ledger.ts'
import { refOf } from './object-key.ts'
import type { Dispute, PaymentStory, Refund } from './order.ts'

/** What belongs to a payment, for people; what was only named is a reference, not a refund or a dispute yet. */
export function tellParts({
  charges,
  checkouts,
  invoices,
  refunds,
  disputes,
}: PaymentParts): Pick<PaymentStory, 'refunds' | 'disputes' | 'references'> {
  const references = [...charges, ...checkouts, ...invoices.map(({ invoice }) => invoice)]
  return {
    refunds: [...refunds.values()]
      .flat()
      .flatMap(toRefund)
      .sort((left, right) => compareText(left.refundId, right.refundId)),
    disputes: disputes.flatMap(toDispute),
    references: references.map(({ key }): ObjectRef => refOf(key)),
  }
}

function toRefund(object: LedgerObject): Refund[] {
  const { state, money } = object.heard
  if (!state || !money) return []
  return [{ refundId: refOf(object.key).id, status: state[4] as RefundState, amountMinor: amountOf(object), currency: String(money[2]) }]
}

function toDispute(object: LedgerObject): Dispute[] {
  const { state, money } = object.heard
  if (!state || !money) return []
  return [{ disputeId: refOf(object.key).id, status: state[4] as DisputeState, amountMinor: amountOf(object), currency: String(money[2]) }]
}
