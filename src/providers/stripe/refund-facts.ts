import type { RefundState } from '../../events/payment-fact.ts'
import { chargeOfPayment, type FactDraft, type FactRule, own, ref } from './fact-reader.ts'
import type { StripeObject } from './stripe-object.ts'

export const REFUND_RULES: Record<string, FactRule> = {
  'refund.created': refundRule('refund.created'),
  'refund.updated': refundRule('refund.updated'),
  'refund.failed': refundRule('refund.failed', 'failed'),
  'charge.refund.updated': refundRule('refund.updated'),
}

const STATES = new Set<string>(['pending', 'requires_action', 'succeeded', 'canceled', 'failed'] satisfies RefundState[])

function refundRule(fact: string, named?: RefundState): FactRule {
  return {
    fact,
    effect: named ? 'the refund failed: its money is back' : 'the refund, in the state that it has',
    read: (refund) => {
      const state = named ?? stateOf(refund.status)
      if (!state) return { parked: 'refund_status_unknown' }
      const draft: FactDraft = {
        object: own('refund', refund),
        relatesTo: [ref('charge', refund.charge), ref('payment', refund.payment_intent)],
        state,
        currency: refund.currency,
        amount: refund.amount,
        ...startOf(refund.created),
      }
      return [draft, ...chargeOfPayment(refund.charge, refund.payment_intent)]
    },
  }
}

/** A charge lists its refunds in API versions before 2022-11-15. */
export function embeddedRefunds(charge: StripeObject): FactDraft[] {
  return (charge.refunds?.data ?? []).flatMap((refund) => {
    const state = refund && stateOf(refund.status)
    if (!state || !charge.id) return []
    return [
      {
        name: 'refund.updated',
        object: { kind: 'refund' as const, id: refund.id },
        relatesTo: [ref('charge', charge.id), ref('payment', charge.payment_intent)],
        state,
        currency: refund.currency ?? charge.currency,
        amount: refund.amount,
        ...startOf(refund.created),
      },
    ]
  })
}

/** Some methods had no status: their refunds counted from the start. */
function stateOf(status: string | null | undefined): RefundState | undefined {
  if (status === null || status === undefined) return 'pending'
  return STATES.has(status) ? (status as RefundState) : undefined
}

function startOf(created: number | null | undefined): Pick<FactDraft, 'startedAt'> {
  const time = new Date((created ?? Number.NaN) * 1000)
  return time.getTime() >= 0 && time.getFullYear() <= 9999 ? { startedAt: time } : {}
}
