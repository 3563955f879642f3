import type { PaymentFact } from '../events/payment-fact.ts'
import { keyOf } from './object-key.ts'
import type { PaymentStory } from './order.ts'

/** Why a fact that named a state did not change its payment; nothing where the payment is what the fact says. */
export function noteOfRefusal(fact: PaymentFact, payment: PaymentStory): string | undefined {
  // That a payment was created says nothing that its later states deny.
  if (fact.state === undefined || fact.state === 'created') return undefined
  const { kind, id } = fact.object
  if (kind === 'refund') {
    const refund = payment.refunds.find(({ refundId }) => refundId === id)
    return refund && refund.status !== fact.state ? `${fact.name} after refund ${refund.status}: kept` : undefined
  }
  if (kind === 'dispute') {
    const dispute = payment.disputes.find(({ disputeId }) => disputeId === id)
    return dispute && dispute.status !== fact.state ? `${fact.name} after dispute ${dispute.status}: kept` : undefined
  }
  const isAbout =
    payment.objectKey === keyOf(fact.object) || payment.references.some((reference) => keyOf(reference) === keyOf(fact.object))
  return isAbout && payment.state !== fact.state ? `${fact.name} after ${payment.status}: kept` : undefined
}
