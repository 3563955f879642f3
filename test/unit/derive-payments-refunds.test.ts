import { describe, expect, it } from '@jest/globals'
import type { PaymentFact } from '../../src/events/payment-fact.ts'
import { derivePayments } from '../../src/orders/derive-payments.ts'
import type { PaymentStory } from '../../src/orders/order.ts'
import { at, buildFact, buildTie, type FactOverrides, hearFacts } from '../helpers/build-fact.ts'

const intent = buildFact('payment/pi_1', { state: 'succeeded' })
const charge = buildFact('charge/ch_1', { state: 'succeeded', names: ['payment/pi_1'] })
const refund = (id: string, amountMinor: bigint, overrides: FactOverrides = {}) =>
  buildFact(`refund/${id}`, { state: 'succeeded', amountMinor, names: ['charge/ch_1'], ...overrides })
const seen = (refundedMinor: bigint, second: number, key = 'charge/ch_1') =>
  buildFact(key, { refundedMinor, occurredAt: at(second), names: ['payment/pi_1'] })
const dispute = (state: PaymentFact['state'], overrides: FactOverrides = {}) =>
  buildFact('dispute/du_1', { ...(state && { state }), names: ['charge/ch_1'], ...overrides })

/** The one payment of these facts, which must be the same whichever was heard first. */
function derive(...facts: PaymentFact[]): PaymentStory {
  const payments = derivePayments(hearFacts(facts))
  expect(derivePayments(hearFacts(facts.toReversed()))).toEqual(payments)
  expect(payments).toHaveLength(1)
  return payments[0] as PaymentStory
}

describe('what was refunded of a payment', () => {
  it.each([
    ['the sum of its refunds', [refund('re_1', 300n), refund('re_2', 500n)], 800n],
    ['a refund that is pending', [refund('re_1', 300n, { state: 'pending' })], 300n],
    ['a refund that requires action', [refund('re_1', 300n, { state: 'requires_action' })], 300n],
    ['nothing of one that failed', [refund('re_1', 300n, { state: 'failed' })], 0n],
    ['nothing of one that was canceled', [refund('re_1', 300n, { state: 'canceled' }), refund('re_2', 500n)], 500n],
    ["the charge's sum where no refund is known", [seen(500n, 1)], 500n],
    ["the charge's sum where it knows more", [seen(500n, 1), refund('re_1', 300n)], 500n],
    ['the refunds where the charge knows less', [seen(300n, 1), refund('re_1', 300n), refund('re_2', 500n)], 800n],
    ['the largest sum heard, whenever', [seen(500n, 1), seen(300n, 2)], 500n],
    ['once what came under two event ids', [seen(500n, 1), { ...seen(500n, 1), eventId: 'evt_2' }], 500n],
    ['no more than was received', [refund('re_1', 1500n), refund('re_2', 1500n)], 2000n],
    ['the sum over its charges', [seen(500n, 1), seen(300n, 1, 'charge/ch_2')], 800n],
    [
      'each charge by the view that knows more',
      [seen(500n, 1), refund('re_1', 100n), seen(100n, 1, 'charge/ch_2'), refund('re_2', 400n, { names: ['charge/ch_2'] })],
      900n,
    ],
    ['a refund that names only the payment, with its charge', [seen(500n, 1), refund('re_1', 500n, { names: ['payment/pi_1'] })], 500n],
    ['a refund that the charge names', [refund('re_1', 300n, { names: [] }), buildTie('charge/ch_1', 'refund/re_1')], 300n],
  ])('is %s', (_, facts, refundedMinor) => {
    expect(derive(intent, charge, ...facts).refundedMinor).toBe(refundedMinor)
  })

  it('is known by the payment where no charge was ever heard of', () => {
    expect(derive(intent, refund('re_1', 300n, { names: ['payment/pi_1'] })).refundedMinor).toBe(300n)
  })

  it.each([
    ['the sum was said after the refund and before it failed', 1, 2, 3, 0n],
    ['the sum was said when the refund was made', 2, 2, 3, 0n],
    ['the sum was said after it had failed', 1, 3, 2, 500n],
    ['the sum was said when it failed', 1, 2, 2, 0n],
    ['the refund was made after the sum was said', 3, 2, 4, 500n],
  ])('without a refund that failed is, when %s, …', (_, startedAt, seenAt, failedAt, refundedMinor) => {
    const failed = refund('re_1', 500n, { state: 'failed', startedAt: at(startedAt), occurredAt: at(failedAt) })

    expect(derive(intent, charge, seen(500n, seenAt), failed).refundedMinor).toBe(refundedMinor)
  })

  it('has lost it from the first time that the failure was said', () => {
    const failures = [2, 5].map((second) => refund('re_1', 500n, { state: 'failed', startedAt: at(1), occurredAt: at(second) }))

    expect(derive(intent, charge, seen(500n, 3), ...failures).refundedMinor).toBe(500n)
  })

  it('was made when it was first heard of where nobody says when it was made', () => {
    const made = refund('re_1', 500n, { state: 'pending', occurredAt: at(1) })
    const failed = refund('re_1', 500n, { state: 'failed', occurredAt: at(3) })

    expect(derive(intent, charge, made, seen(500n, 2), failed).refundedMinor).toBe(0n)
  })

  it('has what else went back when one of two failed', () => {
    const failed = refund('re_1', 500n, { state: 'failed', startedAt: at(1), occurredAt: at(3) })

    expect(derive(intent, charge, seen(800n, 2), failed).refundedMinor).toBe(300n)
  })
})

describe('what was authorised and never captured', () => {
  const captured = buildFact('charge/ch_1', { state: 'succeeded', receivedMinor: 1500n, releasedMinor: 500n, names: ['payment/pi_1'] })

  it.each([
    ['is no refund where it came as one', [refund('re_1', 500n)], 0n],
    ['is no refund where only its sum came', [], 0n],
    ['is taken off once: a real refund of as much counts', [refund('re_1', 500n), refund('re_2', 500n)], 500n],
    ['is not taken off a refund of another amount', [refund('re_1', 400n)], 400n],
    ['is not taken off what the charge says went back beside it', [seen(300n, 2), refund('re_1', 500n), refund('re_2', 300n)], 300n],
  ])('%s', (_, facts, refundedMinor) => {
    expect(derive(captured, ...facts)).toMatchObject({ receivedMinor: 1500n, refundedMinor })
  })

  it('is the oldest refund of the amount, so that the failure of the other shows', () => {
    const release = refund('re_2', 500n, { startedAt: at(1) })
    const real = refund('re_1', 500n, { startedAt: at(2), state: 'failed', occurredAt: at(3) })

    expect(derive(captured, release, real).refundedMinor).toBe(0n)
  })
})

describe('the disputes of a payment', () => {
  it.each([
    ['open', 'disputed', 2000n, 0n, []],
    ['lost', 'charged_back', 0n, 2000n, []],
    ['won', 'succeeded', 0n, 0n, []],
    ['prevented', 'succeeded', 0n, 0n, []],
    ['refunded', 'succeeded', 0n, 0n, []],
    ['inquiry', 'succeeded', 0n, 0n, ['inquiry']],
    ['inquiry_closed', 'succeeded', 0n, 0n, []],
  ] as const)('make it, when one is %s, %s', (state, status, disputedMinor, chargedBackMinor, flags) => {
    const payment = derive(intent, charge, dispute(state))

    expect(payment).toMatchObject({ status, disputedMinor, chargedBackMinor, flags, receivedMinor: 2000n })
  })

  it.each([
    ['is no inquiry any more when it became open', 'disputed', [dispute('inquiry'), dispute('open', { occurredAt: at(1) })]],
    ['is over when it was won, although an open update comes late', 'succeeded', [dispute('won'), dispute('open', { occurredAt: at(1) })]],
    ['is lost when both ends have one time', 'charged_back', [dispute('won'), dispute('lost')]],
  ] as const)('%s', (_, status, facts) => {
    expect(derive(intent, charge, ...facts)).toMatchObject({ status, flags: [] })
  })

  it('take no more than refunds left', () => {
    const payment = derive(intent, charge, refund('re_1', 500n), dispute('lost'))

    expect(payment).toMatchObject({ refundedMinor: 500n, chargedBackMinor: 1500n, status: 'charged_back' })
  })

  it('were lost also where refunds had left nothing to take', () => {
    const payment = derive(intent, charge, refund('re_1', 2000n), dispute('lost'))

    expect(payment).toMatchObject({ refundedMinor: 2000n, chargedBackMinor: 0n, status: 'charged_back' })
  })

  it('leave a part when a smaller one was lost', () => {
    expect(derive(intent, charge, dispute('lost', { amountMinor: 600n }))).toMatchObject({
      chargedBackMinor: 600n,
      status: 'partially_refunded',
    })
  })

  it('are summed, and an open one decides the status', () => {
    const lost = buildFact('dispute/du_2', { state: 'lost', amountMinor: 500n, names: ['payment/pi_1'] })

    const payment = derive(intent, charge, dispute('open', { amountMinor: 300n }), lost)

    expect(payment).toMatchObject({ status: 'disputed', disputedMinor: 300n, chargedBackMinor: 500n })
    expect(payment.disputes).toEqual([
      { disputeId: 'du_1', status: 'open', amountMinor: 300n, currency: 'USD' },
      { disputeId: 'du_2', status: 'lost', amountMinor: 500n, currency: 'USD' },
    ])
  })
})

describe('the status of a payment', () => {
  it.each([
    ['succeeded', [intent]],
    ['partially_refunded', [intent, charge, refund('re_1', 1n)]],
    ['refunded', [intent, charge, refund('re_1', 2000n)]],
    ['succeeded', [buildFact('payment/pi_1', { state: 'succeeded', amountMinor: 0n })]],
    ['failed', [buildFact('payment/pi_1', { state: 'failed' })]],
    ['authorized', [buildFact('charge/ch_1', { state: 'authorized' })]],
    [
      'canceled',
      [buildFact('payment/pi_1', { state: 'canceled' }), buildFact('charge/ch_1', { refundedMinor: 2000n, names: ['payment/pi_1'] })],
    ],
  ])('is %s', (status, facts) => {
    expect(derive(...facts).status).toBe(status)
  })

  it('is refunded although the success is heard after the refund', () => {
    const refunded = seen(2000n, 2)

    expect(derive(refunded, refund('re_1', 2000n, { occurredAt: at(2) }), intent).status).toBe('refunded')
  })

  it('has its refunds with their status, the failed ones too, and not those that were only named', () => {
    const { refunds } = derive(
      intent,
      charge,
      refund('re_2', 300n, { state: 'failed' }),
      refund('re_1', 100n),
      buildTie('refund/re_3', 'charge/ch_1'),
    )

    expect(refunds).toEqual([
      { refundId: 're_1', status: 'succeeded', amountMinor: 100n, currency: 'USD' },
      { refundId: 're_2', status: 'failed', amountMinor: 300n, currency: 'USD' },
    ])
  })
})
