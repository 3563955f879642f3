import { describe, expect, it } from '@jest/globals'
import type { PaymentFact } from '../../src/events/payment-fact.ts'
import { derivePayments } from '../../src/orders/derive-payments.ts'
import type { PaymentStory } from '../../src/orders/order.ts'
import { at, buildFact, buildTie, type FactOverrides, hearFacts } from '../helpers/build-fact.ts'

const invoice = (overrides: FactOverrides = {}) => buildFact('invoice/in_1', { state: 'succeeded', ...overrides })
const tie = buildTie('invoice/in_1', 'payment/pi_1')
const paid = buildFact('payment/pi_1', { state: 'succeeded' })
const settle = (id: string, settledMinor: bigint): PaymentFact => {
  const { receivedMinor: _, ...fact } = buildFact(`payment/${id}`, {
    state: 'succeeded',
    amountMinor: settledMinor,
    names: ['invoice/in_1'],
  })
  return { ...fact, settledMinor }
}

/** The payments of these facts, which must be the same whichever was heard first. */
function derive(...facts: PaymentFact[]): PaymentStory[] {
  const payments = derivePayments(hearFacts(facts))
  expect(derivePayments(hearFacts(facts.toReversed()))).toEqual(payments)
  return payments
}

function summarize(...facts: PaymentFact[]) {
  return derive(...facts).map(({ paymentId, state, receivedMinor, flags }) => [paymentId, state, receivedMinor, ...flags])
}

describe('an invoice that groups no payment', () => {
  it.each([
    ['is a payment that succeeded', [invoice()], ['in_1', 'succeeded', 2000n]],
    ['is a payment that failed', [invoice({ state: 'failed', receivedMinor: 0n })], ['in_1', 'failed', 0n]],
    ['is canceled when it was voided', [invoice({ state: 'canceled' })], ['in_1', 'canceled', 0n]],
    [
      'is a success when it was paid after it had failed',
      [invoice({ state: 'failed', occurredAt: at(9) }), invoice()],
      ['in_1', 'succeeded', 2000n],
    ],
    ['is a success of 0', [invoice({ amountMinor: 0n })], ['in_1', 'succeeded', 0n]],
    ['is flagged when it was paid by other means', [invoice({ isOutOfBand: true })], ['in_1', 'succeeded', 2000n, 'out_of_band']],
    [
      'is one payment with its checkout, by what the larger says',
      [buildFact('checkout/cs_1', { state: 'succeeded', names: ['invoice/in_1'], amountMinor: 2500n }), invoice()],
      ['in_1', 'succeeded', 2500n],
    ],
    [
      'is a payment although only its checkout spoke',
      [buildFact('checkout/cs_1', { state: 'processing', names: ['invoice/in_1'] })],
      ['in_1', 'processing', 0n],
    ],
  ])('%s', (_, facts, payment) => {
    expect(summarize(...facts)).toEqual([payment])
  })
})

describe('an invoice lends what it says to its only payment', () => {
  it.each([
    ['when that was only named', [tie, invoice()]],
    ['when that was only created', [buildFact('payment/pi_1', { state: 'created', occurredAt: at(9) }), tie, invoice()]],
    ['when its charge is named', [buildTie('charge/ch_1', 'payment/pi_1'), buildTie('invoice/in_1', 'charge/ch_1'), invoice()]],
    ['when its checkout names both', [buildTie('checkout/cs_1', 'payment/pi_1', 'invoice/in_1'), invoice()]],
    [
      "when only the invoice's checkout says that it was paid",
      [tie, invoice({ state: 'failed', receivedMinor: 0n }), buildFact('checkout/cs_1', { state: 'succeeded', names: ['invoice/in_1'] })],
    ],
    ['when an attempt to pay it had failed', [buildFact('payment/pi_1', { state: 'failed', occurredAt: at(9) }), tie, invoice()]],
    ['when that is still processing', [buildFact('charge/ch_1', { state: 'processing', names: ['payment/pi_1'] }), tie, invoice()]],
  ])('%s', (_, facts) => {
    expect(summarize(...facts)).toEqual([['pi_1', 'succeeded', 2000n]])
  })

  it('also when it failed', () => {
    expect(summarize(tie, invoice({ state: 'failed', receivedMinor: 0n }))).toEqual([['pi_1', 'failed', 0n]])
  })

  it('and a charge without an intent is such a payment too', () => {
    expect(summarize(buildTie('invoice/in_1', 'charge/ch_1'), invoice())).toEqual([['ch_1', 'succeeded', 2000n]])
  })

  it('and of two the one that succeeded, although the other is smaller', () => {
    const other = buildFact('invoice/in_0', { state: 'failed', receivedMinor: 0n, names: ['payment/pi_1'] })

    expect(summarize(tie, other, invoice())).toEqual([['pi_1', 'succeeded', 2000n]])
  })

  it('and it has currency and amount of the invoice', () => {
    expect(derive(tie, invoice({ currency: 'EUR' }))).toMatchObject([{ paymentId: 'pi_1', currency: 'EUR', amountMinor: 2000n }])
  })
})

describe('an invoice lends nothing', () => {
  it('to a payment that was canceled, and is what that did not receive', () => {
    expect(summarize(buildFact('payment/pi_1', { state: 'canceled' }), tie, invoice())).toEqual([
      ['pi_1', 'canceled', 0n],
      ['in_1', 'succeeded', 2000n, 'out_of_band'],
    ])
  })

  it('of its failure to a payment that said more than created', () => {
    const failed = invoice({ state: 'failed', receivedMinor: 0n, occurredAt: at(9) })

    expect(summarize(buildFact('payment/pi_1', { state: 'processing' }), tie, failed)).toEqual([['pi_1', 'processing', 0n]])
  })

  it('to a payment when it was paid by other means', () => {
    expect(summarize(tie, invoice({ isOutOfBand: true }))).toEqual([
      ['pi_1', 'created', 0n],
      ['in_1', 'succeeded', 2000n, 'out_of_band'],
    ])
  })

  it('when it groups two payments', () => {
    expect(summarize(tie, buildTie('invoice/in_1', 'payment/pi_2'), invoice())).toEqual([
      ['pi_1', 'created', 0n],
      ['pi_2', 'created', 0n],
      ['in_1', 'succeeded', 2000n, 'out_of_band'],
    ])
  })

  it('to a payment that received a part, and is the rest', () => {
    const part = buildFact('payment/pi_1', { state: 'requires_action', receivedMinor: 700n })

    expect(summarize(part, tie, invoice())).toEqual([
      ['pi_1', 'requires_action', 700n],
      ['in_1', 'succeeded', 1300n, 'out_of_band'],
    ])
  })
})

describe('an invoice that groups payments', () => {
  it.each([
    ['is no payment when they received what it says', [paid, tie, invoice()], [['pi_1', 'succeeded', 2000n]]],
    ['is no payment when they received more', [paid, tie, invoice({ amountMinor: 1500n })], [['pi_1', 'succeeded', 2000n]]],
    [
      'is a payment for what it received beyond them',
      [paid, tie, invoice({ amountMinor: 3000n })],
      [
        ['pi_1', 'succeeded', 2000n],
        ['in_1', 'succeeded', 1000n, 'out_of_band'],
      ],
    ],
    [
      'is no payment beside parts that make it up',
      [settle('pi_1', 1500n), settle('pi_2', 500n), invoice()],
      [
        ['pi_1', 'succeeded', 1500n],
        ['pi_2', 'succeeded', 500n],
      ],
    ],
    ['is no payment beside one that settled it, before it spoke itself', [settle('pi_1', 2000n)], [['pi_1', 'succeeded', 2000n]]],
    [
      'is no payment when it was voided',
      [buildFact('payment/pi_1', { state: 'failed' }), tie, invoice({ state: 'canceled' })],
      [['pi_1', 'failed', 0n]],
    ],
    [
      'counts once a payment that it names by intent and charge',
      [paid, buildFact('charge/ch_1', { state: 'succeeded', names: ['payment/pi_1', 'invoice/in_1'] }), tie, invoice()],
      [['pi_1', 'succeeded', 2000n]],
    ],
  ])('%s', (_, facts, payments) => {
    expect(summarize(...facts)).toEqual(payments)
  })

  it('shows itself among the references of its payment', () => {
    expect(derive(paid, tie, invoice())[0]?.references).toEqual([{ kind: 'invoice', id: 'in_1' }])
  })

  it('is one of several of a customer, which nothing ties together', () => {
    const renewal = buildFact('invoice/in_2', { state: 'succeeded', names: ['payment/pi_2'] })

    expect(summarize(paid, tie, invoice(), renewal)).toEqual([
      ['pi_1', 'succeeded', 2000n],
      ['pi_2', 'succeeded', 2000n],
    ])
  })
})
