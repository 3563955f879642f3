import type { PaymentFact } from '../../src/events/payment-fact.ts'
import { mergeFact } from '../../src/orders/merge-fact.ts'
import type { Payment } from '../../src/orders/order.ts'

/** The `seconds`-th second of one fixed day. */
export function at(seconds: number): Date {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, seconds))
}

/** What a payment of 20.00 USD says that succeeded and names no order, unless told otherwise. */
export function buildFact(overrides: Partial<PaymentFact> = {}): PaymentFact {
  return {
    name: 'payment.succeeded',
    provider: 'stripe',
    paymentId: 'pi_1',
    source: 'payment',
    state: 'succeeded',
    currency: 'USD',
    amountMinor: 2000n,
    receivedMinor: overrides.state === undefined || overrides.state === 'succeeded' ? 2000n : 0n,
    refundedMinor: 0n,
    account: null,
    livemode: false,
    occurredAt: at(0),
    eventId: 'evt_1',
    messageId: '01900000-0000-7000-8000-000000000001',
    ...overrides,
  }
}

/** The payment of which this one fact is known. */
export function buildPayment(overrides: Partial<PaymentFact> = {}): Payment {
  return mergeFact(undefined, buildFact(overrides))
}
