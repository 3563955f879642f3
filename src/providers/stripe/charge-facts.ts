import type { ObjectRef, PaymentState } from '../../events/payment-fact.ts'
import { type FactDraft, type FactReader, type FactRule, isBeforeBasil, own, ref } from './fact-reader.ts'
import { findOrderId } from './find-order-id.ts'
import { embeddedRefunds } from './refund-facts.ts'
import type { StripeObject } from './stripe-object.ts'

export const CHARGE_RULES: Record<string, FactRule> = {
  'charge.pending': chargeRule('charge.pending', 'the charge is `processing`', () => 'processing'),
  'charge.succeeded': chargeRule('charge.succeeded', 'the charge succeeded, or is `authorized` until it is captured', (charge) =>
    charge.captured === false ? 'authorized' : 'succeeded',
  ),
  'charge.captured': chargeRule('charge.captured', 'the charge succeeded, with what was captured', () => 'succeeded'),
  'charge.failed': chargeRule('charge.failed', 'the charge is `failed`', () => 'failed'),
  'charge.expired': chargeRule('charge.expired', 'the charge is `canceled`', () => 'canceled'),
  'charge.updated': chargeRule('charge.updated', 'the charge succeeded, if it is captured', successOnly),
  'charge.refunded': chargeRule('charge.refunded', 'what went back of the charge so far', successOnly),
  // A generic name that people test with: the payment itself went back, wholly unless it says how much.
  'payment.refunded': {
    fact: 'payment.refunded',
    effect: 'what went back of the payment so far',
    read: (charge, context) => {
      const reading = readCharge(successOnly)({ ...charge, amount_refunded: charge.amount_refunded ?? charge.amount }, context)
      if (!Array.isArray(reading)) return reading
      return reading.map((draft, index) =>
        index === 0 ? { ...draft, object: paymentOf(charge), relatesTo: charge.payment_intent ? [own('charge', charge)] : [] } : draft,
      )
    },
  },
}

function paymentOf({ id, payment_intent: payment }: StripeObject): ObjectRef {
  return { kind: 'payment', id: payment ?? id ?? '' }
}

type StateOf = (charge: StripeObject) => PaymentState | undefined

function chargeRule(fact: string, effect: string, stateOf: StateOf): FactRule {
  return { fact, effect, read: readCharge(stateOf) }
}

function readCharge(stateOf: StateOf): FactReader {
  return (charge, { apiVersion, orderKeys }) => {
    // What a connected account receives of a charge that the platform made: the platform's charge is the payment.
    if (charge.source_transfer) return { ignored: 'source_transfer' }
    const state = stateOf(charge)
    const draft: FactDraft = {
      object: own('charge', charge),
      relatesTo: [ref('payment', charge.payment_intent), ref('invoice', charge.invoice)],
      ...(state && { state }),
      currency: charge.currency,
      amount: charge.amount,
      received: state === 'succeeded' ? capturedAmount(charge) : undefined,
      ...readRefunded(charge, apiVersion),
      orderId: findOrderId(charge, orderKeys),
    }
    return [draft, ...embeddedRefunds(charge)]
  }
}

/** These are sent for charges in any state, and only that money had arrived is certain: what was not captured cannot go back. */
function successOnly({ captured, status }: StripeObject): PaymentState | undefined {
  return captured === false || (status && status !== 'succeeded') ? undefined : 'succeeded'
}

function capturedAmount({ amount, amount_captured: captured, captured: isCaptured }: StripeObject): number {
  return captured ?? (isCaptured === false ? 0 : (amount ?? 0))
}

function readRefunded(charge: StripeObject, apiVersion: string | null): Pick<FactDraft, 'refunded' | 'released'> {
  const said = charge.amount_refunded ?? 0
  const uncaptured = Math.max(0, (charge.amount ?? 0) - capturedAmount(charge))
  const released = isBeforeBasil(apiVersion) ? Math.min(uncaptured, said) : 0
  return { ...(said > released && { refunded: said - released }), ...(released > 0 && { released }) }
}
