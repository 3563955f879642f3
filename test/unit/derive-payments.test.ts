import { describe, expect, it } from '@jest/globals'
import type { PaymentFact } from '../../src/events/payment-fact.ts'
import { derivePayments } from '../../src/orders/derive-payments.ts'
import type { PaymentStory } from '../../src/orders/order.ts'
import { at, buildFact, buildTie, hearFacts } from '../helpers/build-fact.ts'

const ofIntent = { names: ['payment/pi_1'] }

/** The payments of these facts, which must be the same whichever was heard first. */
function derive(...facts: PaymentFact[]): PaymentStory[] {
  const payments = derivePayments(hearFacts(facts))
  expect(derivePayments(hearFacts(facts.toReversed()))).toEqual(payments)
  return payments
}

function deriveOne(...facts: PaymentFact[]): PaymentStory {
  const payments = derive(...facts)
  expect(payments).toHaveLength(1)
  return payments[0] as PaymentStory
}

describe('what is one payment', () => {
  it('is an intent with its charges and its checkout, whoever names whom', () => {
    const payment = deriveOne(
      buildFact('payment/pi_1', { state: 'succeeded', names: ['charge/ch_1'] }),
      buildFact('charge/ch_1', { state: 'succeeded' }),
      buildFact('charge/ch_2', { state: 'failed', ...ofIntent }),
      buildFact('checkout/cs_1', { state: 'succeeded', ...ofIntent }),
    )

    expect(payment).toMatchObject({ paymentId: 'pi_1', objectKey: 'payment/pi_1', receivedMinor: 2000n })
    expect(payment.references.map(({ id }) => id)).toEqual(['ch_1', 'ch_2', 'cs_1'])
  })

  it.each(['charge/ch_1', 'checkout/cs_1', 'invoice/in_1'])('is %s that names nothing', (key) => {
    const payment = deriveOne(buildFact(key, { state: 'succeeded' }))

    expect(payment).toMatchObject({ objectKey: key, state: 'succeeded', receivedMinor: 2000n })
  })

  it.each(['refund/re_1', 'dispute/du_1'])('is none for %s whose charge was never heard of', (key) => {
    expect(derive(buildFact(key, { state: 'succeeded', names: ['charge/ch_1'] }))).toEqual([])
  })

  it('is none for what was only named', () => {
    expect(derive(buildTie('charge/ch_1', 'payment/pi_1'))).toEqual([])
  })

  it('is no longer a charge that stood for itself once it is known to belong to an intent', () => {
    const charge = buildFact('charge/ch_1', { state: 'succeeded' })

    expect(deriveOne(charge).paymentId).toBe('ch_1')
    expect(deriveOne(charge, buildTie('charge/ch_1', 'payment/pi_1')).paymentId).toBe('pi_1')
  })

  it('is that of the smaller id when a charge is named with two', () => {
    const payments = derive(
      buildFact('payment/pi_2', { state: 'failed', names: ['charge/ch_1'] }),
      buildFact('payment/pi_1', { state: 'failed', names: ['charge/ch_1'] }),
      buildFact('charge/ch_1', { state: 'succeeded' }),
    )

    expect(payments.map(({ paymentId, state }) => [paymentId, state])).toEqual([
      ['pi_1', 'succeeded'],
      ['pi_2', 'failed'],
    ])
  })
})

describe('the state of a payment', () => {
  it.each([
    ['of the intent', buildFact('payment/pi_1', { state: 'succeeded', occurredAt: at(1) })],
    ['of a charge', buildFact('charge/ch_1', { state: 'succeeded', occurredAt: at(1), ...ofIntent })],
    ['of its checkout', buildFact('checkout/cs_1', { state: 'succeeded', occurredAt: at(1), ...ofIntent })],
  ])('is a success %s whatever comes later', (_, success) => {
    const payment = deriveOne(success, buildFact('payment/pi_1', { state: 'canceled', occurredAt: at(9) }))

    expect(payment).toMatchObject({ state: 'succeeded', stateAt: at(1), succeededAt: at(1) })
  })

  it('succeeded at its earliest success', () => {
    const payment = deriveOne(
      buildFact('payment/pi_1', { state: 'succeeded', occurredAt: at(5) }),
      buildFact('charge/ch_1', { state: 'succeeded', occurredAt: at(3), ...ofIntent }),
      buildFact('payment/pi_1', { state: 'created', occurredAt: at(1) }),
    )

    expect(payment).toMatchObject({ succeededAt: at(3), stateAt: at(3), firstAt: at(1) })
  })

  it.each([
    [
      'what the intent says before a charge',
      'requires_action',
      buildFact('payment/pi_1', { state: 'requires_action' }),
      buildFact('charge/ch_1', { state: 'failed', occurredAt: at(9), ...ofIntent }),
    ],
    [
      'what a charge says before payment_intent.created',
      'authorized',
      buildFact('charge/ch_1', { state: 'authorized', ...ofIntent }),
      buildFact('payment/pi_1', { state: 'created', occurredAt: at(9) }),
    ],
    [
      'what a charge says before a checkout',
      'failed',
      buildFact('charge/ch_1', { state: 'failed', ...ofIntent }),
      buildFact('checkout/cs_1', { state: 'canceled', occurredAt: at(9), ...ofIntent }),
    ],
    [
      'what a checkout says before payment_intent.created',
      'processing',
      buildFact('checkout/cs_1', { state: 'processing', ...ofIntent }),
      buildFact('payment/pi_1', { state: 'created', occurredAt: at(9) }),
    ],
    [
      'the later of two charges',
      'processing',
      buildFact('charge/ch_1', { state: 'processing', occurredAt: at(2), ...ofIntent }),
      buildFact('charge/ch_2', { state: 'failed', occurredAt: at(1), ...ofIntent }),
    ],
    ['created when nothing else was said', 'created', buildFact('payment/pi_1', { state: 'created' }), buildFact('payment/pi_1')],
  ])('is %s', (_, state, first, second) => {
    expect(deriveOne(first, second).state).toBe(state)
  })

  it('is created for a charge that was changed and never said more', () => {
    expect(deriveOne(buildFact('charge/ch_1'))).toMatchObject({ state: 'created', stateAt: at(0), succeededAt: null, receivedMinor: 0n })
  })

  it('is canceled for an expired checkout without a payment', () => {
    expect(deriveOne(buildFact('checkout/cs_1', { state: 'canceled' }))).toMatchObject({ paymentId: 'cs_1', state: 'canceled' })
  })
})

describe('what a payment received', () => {
  const intent = buildFact('payment/pi_1', { state: 'succeeded', receivedMinor: 1000n })
  const charges = [
    buildFact('charge/ch_1', { state: 'succeeded', receivedMinor: 700n, ...ofIntent }),
    buildFact('charge/ch_2', { state: 'succeeded', receivedMinor: 400n, ...ofIntent }),
  ]
  const { receivedMinor: _, ...settled } = buildFact('payment/pi_1', { state: 'succeeded', settledMinor: 900n, names: ['invoice/in_1'] })
  const checkout = buildFact('checkout/cs_1', { state: 'succeeded', receivedMinor: 1500n, ...ofIntent })

  it.each([
    ['what the intent says, whatever the others say', [intent, ...charges, settled, checkout], 1000n],
    ['the sum over its charges where the intent says nothing', [...charges, settled, checkout], 1100n],
    ['what an invoice says it paid where no charge spoke', [settled, checkout], 900n],
    ['the total of its checkout where only that spoke', [checkout], 1500n],
    ['the most that any of its checkouts says', [checkout, buildFact('checkout/cs_2', { state: 'succeeded', ...ofIntent })], 2000n],
    ['0 where nobody said anything', [buildFact('payment/pi_1', { state: 'processing' })], 0n],
    ['the most that the intent ever said', [intent, buildFact('payment/pi_1', { state: 'requires_action', receivedMinor: 300n })], 1000n],
    ['a part while it goes on', [buildFact('payment/pi_1', { state: 'requires_action', receivedMinor: 700n })], 700n],
    ['what the next says where the intent has nothing so far', [buildFact('payment/pi_1', { receivedMinor: 0n }), checkout], 1500n],
    ['0 when its success was of 0', [buildFact('payment/pi_1', { state: 'succeeded', amountMinor: 0n })], 0n],
    [
      'as much as a number can hold exactly',
      [buildFact('charge/ch_1', { state: 'succeeded', amountMinor: 9_007_199_254_740_991n })],
      9_007_199_254_740_991n,
    ],
  ])('is %s', (_, facts, receivedMinor) => {
    expect(deriveOne(...facts).receivedMinor).toBe(receivedMinor)
  })
})

describe('currency, amount, account and mode of a payment', () => {
  it('are those of the intent before those of a later charge', () => {
    const payment = deriveOne(
      buildFact('payment/pi_1', { account: 'acct_1', livemode: true, amountMinor: 2000n }),
      buildFact('charge/ch_1', { currency: 'EUR', amountMinor: 1n, account: 'acct_2', occurredAt: at(9), ...ofIntent }),
    )

    expect(payment).toMatchObject({ currency: 'USD', amountMinor: 2000n, account: 'acct_1', livemode: true })
  })

  it('are those of the checkout when the intent was only named', () => {
    const payment = deriveOne(buildFact('checkout/cs_1', { state: 'processing', amountMinor: 1500n, livemode: null, ...ofIntent }))

    expect(payment).toMatchObject({ paymentId: 'pi_1', amountMinor: 1500n, account: null, livemode: null })
  })
})
