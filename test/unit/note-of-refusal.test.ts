import { describe, expect, it } from '@jest/globals'
import type { PaymentFact } from '../../src/events/payment-fact.ts'
import { derivePayments } from '../../src/orders/derive-payments.ts'
import { noteOfRefusal } from '../../src/orders/note-of-refusal.ts'
import type { PaymentStory } from '../../src/orders/order.ts'
import { at, buildFact, buildTie, hearFacts } from '../helpers/build-fact.ts'

const paid = buildFact('payment/pi_1', { state: 'succeeded' })
const ofIntent = { names: ['payment/pi_1'] }
const ofCharge = { names: ['charge/ch_1'] }
const charge = buildFact('charge/ch_1', { state: 'succeeded', ...ofIntent })

/** The note of this fact after all that was known before and the fact itself. */
function noteAfter(known: PaymentFact[], fact: PaymentFact): string | undefined {
  const [payment] = derivePayments(hearFacts([...known, fact]))
  return noteOfRefusal(fact, payment as PaymentStory)
}

describe('a fact that cannot change its payment', () => {
  it.each([
    ['a failure after a success', [paid], buildFact('payment/pi_1', { state: 'failed' }), 'payment.failed after succeeded: kept'],
    [
      'an earlier state',
      [buildFact('payment/pi_1', { state: 'failed', occurredAt: at(2) })],
      buildFact('payment/pi_1', { state: 'processing', occurredAt: at(1) }),
      'payment.processing after failed: kept',
    ],
    [
      'a failed charge beside a success',
      [paid],
      buildFact('charge/ch_2', { state: 'failed', ...ofIntent }),
      'charge.failed after succeeded: kept',
    ],
    [
      'an expired checkout',
      [paid],
      buildFact('checkout/cs_1', { state: 'canceled', ...ofIntent }),
      'checkout.canceled after succeeded: kept',
    ],
    [
      'a failed attempt of an invoice',
      [paid],
      buildFact('invoice/in_1', { state: 'failed', receivedMinor: 0n, ...ofIntent }),
      'invoice.failed after succeeded: kept',
    ],
    [
      'a failure after a refund',
      [paid, charge, buildFact('refund/re_1', { state: 'succeeded', amountMinor: 2000n, ...ofCharge })],
      buildFact('payment/pi_1', { state: 'failed' }),
      'payment.failed after refunded: kept',
    ],
    [
      'a failure in an open dispute',
      [paid, charge, buildFact('dispute/du_1', { state: 'open', ...ofCharge })],
      buildFact('charge/ch_1', { state: 'failed', ...ofIntent }),
      'charge.failed after disputed: kept',
    ],
    [
      'a refund that succeeded after it had failed',
      [paid, charge, buildFact('refund/re_1', { state: 'failed', ...ofCharge })],
      buildFact('refund/re_1', { state: 'succeeded', occurredAt: at(9), ...ofCharge }),
      'refund.succeeded after refund failed: kept',
    ],
    [
      'an update of a dispute that is over',
      [paid, charge, buildFact('dispute/du_1', { state: 'lost', ...ofCharge })],
      buildFact('dispute/du_1', { state: 'open', occurredAt: at(9), ...ofCharge }),
      'dispute.open after dispute lost: kept',
    ],
  ])('is noted: %s', (_, known, fact, note) => {
    expect(noteAfter(known, fact)).toBe(note)
  })
})

describe('a fact that denies nothing', () => {
  it.each([
    ['names no state', [paid], buildTie('charge/ch_1', 'payment/pi_1')],
    ['says only that the payment was created', [paid], buildFact('payment/pi_1', { state: 'created' })],
    ['says what the payment is', [paid], buildFact('charge/ch_1', { state: 'succeeded', ...ofIntent })],
    [
      'says a state that the payment has now',
      [buildFact('payment/pi_1', { state: 'created' })],
      buildFact('payment/pi_1', { state: 'failed' }),
    ],
    ['is of a refund in the state that it has', [paid, charge], buildFact('refund/re_1', { state: 'pending', ...ofCharge })],
    ['is of a dispute in the state that it has', [paid, charge], buildFact('dispute/du_1', { state: 'inquiry', ...ofCharge })],
  ])('is not noted: it %s', (_, known, fact) => {
    expect(noteAfter(known, fact)).toBeUndefined()
  })

  it.each([
    ['another payment', buildFact('payment/pi_2', { state: 'failed' })],
    ['a charge of another payment', buildFact('charge/ch_2', { state: 'failed', names: ['payment/pi_2'] })],
    ['a refund of another payment', buildFact('refund/re_2', { state: 'failed', names: ['charge/ch_2'] })],
    ['a dispute of another payment', buildFact('dispute/du_2', { state: 'won', names: ['charge/ch_2'] })],
  ])('is not noted at a payment of its cluster when it is about %s', (_, fact) => {
    const [payment] = derivePayments(hearFacts([paid, charge, buildTie('invoice/in_1', 'payment/pi_1', 'payment/pi_2')]))

    expect(noteOfRefusal(fact, payment as PaymentStory)).toBeUndefined()
  })
})
