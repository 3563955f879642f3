import type { PaymentState } from '../../events/payment-fact.ts'
import { type FactRule, own, ref } from './fact-reader.ts'
import { findOrderId } from './find-order-id.ts'

export const INTENT_RULES: Record<string, FactRule> = {
  'payment_intent.created': intentRule('payment.created', 'created'),
  'payment_intent.requires_action': intentRule('payment.requires_action', 'requires_action'),
  'payment_intent.partially_funded': intentRule('payment.requires_action', 'requires_action'),
  'payment_intent.processing': intentRule('payment.processing', 'processing'),
  'payment_intent.amount_capturable_updated': intentRule('payment.authorized', 'authorized'),
  'payment_intent.payment_failed': intentRule('payment.failed', 'failed'),
  'payment_intent.canceled': intentRule('payment.canceled', 'canceled'),
  'payment_intent.succeeded': intentRule('payment.succeeded', 'succeeded'),
  // Generic names that people test with, read like their Stripe twins.
  'payment.succeeded': intentRule('payment.succeeded', 'succeeded'),
  'payment.failed': intentRule('payment.failed', 'failed'),
}

function intentRule(fact: string, state: PaymentState): FactRule {
  return {
    fact,
    effect: state === 'succeeded' ? 'the payment succeeded, with what it received' : `the payment is \`${state}\``,
    read: (intent, { orderKeys }) => [
      {
        object: own('payment', intent),
        relatesTo: [
          ref('charge', intent.latest_charge),
          ...(intent.charges?.data ?? []).map((charge) => ref('charge', charge?.id)),
          ref('invoice', intent.invoice),
        ],
        state,
        currency: intent.currency,
        amount: intent.amount,
        // Money can come in parts before the payment is complete.
        received: state === 'succeeded' ? (intent.amount_received ?? intent.amount) : intent.amount_received || undefined,
        orderId: findOrderId(intent, orderKeys),
      },
    ],
  }
}
