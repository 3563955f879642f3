import Stripe from 'stripe'

/** The Stripe-Signature header that Stripe would send with this body. */
export function signStripe(payload: string, secret: string, timestampSeconds: number): string {
  return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: timestampSeconds })
}
