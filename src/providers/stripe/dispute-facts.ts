import type { DisputeState } from '../../events/payment-fact.ts'
import { chargeOfPayment, type FactRule, own, ref } from './fact-reader.ts'

export const DISPUTE_RULES: Record<string, FactRule> = {
  'charge.dispute.created': disputeRule('dispute.created'),
  'charge.dispute.updated': disputeRule('dispute.updated'),
  'charge.dispute.closed': disputeRule('dispute.closed'),
  'charge.dispute.funds_withdrawn': disputeRule('dispute.funds_withdrawn'),
  'charge.dispute.funds_reinstated': disputeRule('dispute.funds_reinstated'),
}

/** https://docs.stripe.com/api/disputes/object#dispute_object-status */
const STATES: ReadonlyMap<string, DisputeState> = new Map<string, DisputeState>([
  ['warning_needs_response', 'inquiry'],
  ['warning_under_review', 'inquiry'],
  ['warning_closed', 'inquiry_closed'],
  ['needs_response', 'open'],
  ['under_review', 'open'],
  ['won', 'won'],
  ['lost', 'lost'],
  ['prevented', 'prevented'],
  ['charge_refunded', 'refunded'],
])

function disputeRule(fact: string): FactRule {
  return {
    fact,
    effect: 'the dispute, in the state that it has',
    read: (dispute) => {
      const state = STATES.get(dispute.status ?? '')
      if (!state) return { parked: 'dispute_status_unknown' }
      return [
        {
          object: own('dispute', dispute),
          relatesTo: [ref('charge', dispute.charge), ref('payment', dispute.payment_intent)],
          state,
          currency: dispute.currency,
          amount: dispute.amount,
        },
        ...chargeOfPayment(dispute.charge, dispute.payment_intent),
      ]
    },
  }
}
