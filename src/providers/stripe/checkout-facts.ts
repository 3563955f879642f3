import type { PaymentState } from '../../events/payment-fact.ts'
import { type FactRule, own, ref } from './fact-reader.ts'
import { findOrderId } from './find-order-id.ts'
import type { StripeObject } from './stripe-object.ts'

export const CHECKOUT_RULES: Record<string, FactRule> = {
  'checkout.session.completed': checkoutRule(
    'checkout.completed',
    'the checkout succeeded, or is `processing` while it is unpaid',
    completedState,
  ),
  'checkout.session.async_payment_succeeded': checkoutRule('checkout.succeeded', 'the checkout succeeded', () => 'succeeded'),
  'checkout.session.async_payment_failed': checkoutRule('checkout.failed', 'the checkout is `failed`', () => 'failed'),
  'checkout.session.expired': checkoutRule('checkout.expired', 'the checkout is `canceled`', () => 'canceled'),
}

const PAYMENT_STATUSES = new Set(['paid', 'unpaid', 'no_payment_required'])

function checkoutRule(fact: string, effect: string, stateOf: (session: StripeObject) => PaymentState): FactRule {
  return {
    fact,
    effect,
    read: (session, { orderKeys }) => {
      if (session.mode === 'setup') return { ignored: 'setup_mode' }
      if (!PAYMENT_STATUSES.has(session.payment_status ?? '')) return { parked: 'payment_status_unknown' }
      const state = stateOf(session)
      return [
        {
          object: own('checkout', session),
          relatesTo: [ref('payment', session.payment_intent), ref('invoice', session.invoice)],
          state,
          currency: session.currency,
          amount: session.amount_total,
          received: state === 'succeeded' ? receivedOf(session) : undefined,
          orderId: findOrderId(session, orderKeys),
        },
      ]
    },
  }
}

// A session is completed when the customer is done, which for slow methods is days before the money is there.
function completedState({ payment_status: status }: StripeObject): PaymentState {
  return status === 'unpaid' ? 'processing' : 'succeeded'
}

function receivedOf({ payment_status: status, amount_total: total }: StripeObject): number | null | undefined {
  return status === 'no_payment_required' ? 0 : total
}
