import { describe, expect, it } from '@jest/globals'
import { deriveOrder } from '../../src/orders/derive-order.ts'
import type { OrderStatus, Payment, PaymentStatus, Registration } from '../../src/orders/order.ts'
import { at, buildPayment } from '../helpers/build-fact.ts'

const UNREGISTERED: Registration = { orderId: 'ord_1', currency: null, expectedMinor: null, account: null }
const registered = (expectedMinor: bigint, currency = 'USD'): Registration => ({ ...UNREGISTERED, currency, expectedMinor })

const paid = (overrides: Partial<Payment> = {}) => buildPayment(overrides)
const refunded = (refundedMinor: bigint, paymentId = 'pi_1') => buildPayment({ refundedMinor, paymentId })
const lost = (chargedBackMinor: bigint, overrides: Partial<Payment> = {}) => buildPayment({ chargedBackMinor, ...overrides })
const disputed = (overrides: Partial<Payment> = {}) => buildPayment({ status: 'disputed', disputedMinor: 2000n, ...overrides })
const unpaid = (state: Payment['state'], second = 0) => buildPayment({ state, paymentId: `pi_${state}`, stateAt: at(second) })

/** The status of the order, which must not depend on the order of its payments. */
function statusOf(registration: Registration, payments: Payment[]): OrderStatus {
  const order = deriveOrder(registration, payments)
  expect(deriveOrder(registration, payments.toReversed())).toEqual(order)
  return order.status
}

describe('the status of an order with nothing registered', () => {
  it.each([
    ['disputed', 'a payment has an open dispute', [disputed()]],
    ['disputed', 'a payment has an open dispute and another succeeded', [disputed(), paid({ paymentId: 'pi_2' })]],
    ['paid', 'a payment succeeded', [paid()]],
    ['paid', 'a payment succeeded with 0', [paid({ amountMinor: 0n })]],
    ['paid', 'one payment failed and another succeeded', [unpaid('failed', 5), paid()]],
    ['paid', 'one payment was refunded and another has nothing back', [refunded(2000n), paid({ paymentId: 'pi_2' })]],
    ['paid', 'one payment was charged back and another succeeded with 0', [lost(2000n), paid({ paymentId: 'pi_2', amountMinor: 0n })]],
    ['partially_refunded', 'a part went back', [refunded(500n)]],
    ['partially_refunded', 'a part was lost in a dispute', [lost(500n)]],
    ['partially_refunded', 'one payment went back and a part of another', [refunded(2000n), refunded(1n, 'pi_2')]],
    ['partially_paid', 'a payment received a part and goes on', [buildPayment({ state: 'requires_action', receivedMinor: 700n })]],
    ['charged_back', 'all was lost in a dispute', [lost(2000n)]],
    ['charged_back', 'a part was refunded and the rest was lost', [lost(1500n, { refundedMinor: 500n })]],
    [
      'charged_back',
      'a dispute was lost of which refunds had left nothing',
      [{ ...refunded(2000n), status: 'charged_back' as PaymentStatus }],
    ],
    ['charged_back', 'one payment was refunded and another was lost', [refunded(2000n), lost(2000n, { paymentId: 'pi_2' })]],
    ['refunded', 'all went back', [refunded(2000n)]],
    ['refunded', 'all of two payments went back', [refunded(2000n), refunded(2000n, 'pi_2')]],
    ['refunded', 'all went back and another attempt waits for capture', [refunded(2000n), unpaid('authorized')]],
    ['authorized', 'a payment waits for capture', [unpaid('authorized')]],
    ['authorized', 'one payment is processing and another waits for capture', [unpaid('processing'), unpaid('authorized')]],
    ['processing', 'a payment is processing', [unpaid('processing')]],
    ['processing', 'a payment requires action', [unpaid('requires_action')]],
    ['processing', 'one payment failed and another is processing', [unpaid('failed'), unpaid('processing')]],
    ['failed', 'the only payment failed', [unpaid('failed')]],
    ['failed', 'the latest of two that ended failed', [unpaid('failed', 2), unpaid('canceled', 1)]],
    ['canceled', 'the only payment was canceled', [unpaid('canceled')]],
    ['canceled', 'the latest of two that ended was canceled', [unpaid('failed', 1), unpaid('canceled', 2)]],
    ['failed', 'two ended at one time and the greater id failed', [unpaid('failed'), unpaid('canceled')]],
    ['pending', 'there is no payment', []],
    ['pending', 'a payment was only created', [unpaid('created')]],
    ['pending', 'one payment failed and another was only created', [unpaid('failed'), unpaid('created')]],
  ])('is %s when %s', (status, _, payments) => {
    expect(statusOf(UNREGISTERED, payments)).toBe(status)
  })
})

describe('the status of a registered order', () => {
  it.each([
    ['disputed', 'a payment has an open dispute', 2000n, [disputed()]],
    ['paid', 'exactly the expected amount is left', 2000n, [paid()]],
    ['paid', 'more than expected is left', 1500n, [paid()]],
    ['paid', 'a part went back and still what was expected is left', 1500n, [refunded(500n)]],
    ['paid', 'two payments make up the expected amount', 4000n, [paid(), paid({ paymentId: 'pi_2' })]],
    ['paid', '0 is expected and 0 succeeded', 0n, [paid({ amountMinor: 0n })]],
    ['partially_paid', 'less than expected came and nothing went back', 10_000n, [paid()]],
    [
      'partially_paid',
      'the expected amount came in parts and no payment succeeded yet',
      700n,
      [buildPayment({ state: 'processing', receivedMinor: 700n })],
    ],
    ['partially_refunded', 'a part went back so that less than expected is left', 2000n, [refunded(1n)]],
    ['refunded', 'all went back', 2000n, [refunded(2000n)]],
    ['charged_back', 'all was lost', 2000n, [lost(2000n)]],
    ['pending', '0 is expected and nothing has succeeded', 0n, []],
    ['pending', 'something is expected and only 0 succeeded', 2000n, [paid({ amountMinor: 0n })]],
    ['pending', 'the whole amount came in another currency', 2000n, [paid({ currency: 'JPY' })]],
    ['pending', 'what is disputed is in another currency', 2000n, [disputed({ currency: 'JPY' })]],
    ['processing', 'a payment in its currency is on its way', 2000n, [unpaid('processing')]],
  ])('is %s when %s', (status, _, expectedMinor, payments) => {
    expect(statusOf(registered(expectedMinor), payments)).toBe(status)
  })
})

describe('the amounts of an order', () => {
  it('are what was received, gross, what went back, what is disputed and what was lost', () => {
    const order = deriveOrder(UNREGISTERED, [
      refunded(500n),
      lost(300n, { paymentId: 'pi_2' }),
      disputed({ paymentId: 'pi_3', disputedMinor: 700n }),
    ])

    expect(order).toMatchObject({ paidMinor: 6000n, refundedMinor: 500n, disputedMinor: 700n, chargedBackMinor: 300n, currency: 'USD' })
  })

  it.each([
    ['in another currency', registered(2000n), { currency: 'JPY' }],
    ['to another account', { ...registered(2000n), account: 'acct_1' }, {}],
    ['in a test beside a live payment', registered(2000n), { livemode: false }],
  ])('leave out what came %s', (_, registration, overrides) => {
    const counts = paid({ account: registration.account, livemode: true })

    const order = deriveOrder(registration, [counts, disputed({ paymentId: 'pi_2', refundedMinor: 1n, ...overrides })])

    expect(order).toMatchObject({ status: 'paid', paidMinor: 2000n, refundedMinor: 0n, disputedMinor: 0n })
  })

  it('leave out a payment that only a conflict names', () => {
    const order = deriveOrder(UNREGISTERED, [paid({ orderId: 'ord_2', rivalOrderIds: ['ord_1'] })])

    expect(order).toMatchObject({ status: 'pending', paidMinor: 0n, currency: null, flags: ['unregistered', 'claim_conflict'] })
  })

  it('are exact beyond what a double can hold', () => {
    const payments = [9_007_199_254_740_991n, 2n].map((amountMinor, index) => paid({ amountMinor, paymentId: `pi_${index}` }))

    expect(deriveOrder(UNREGISTERED, payments).paidMinor).toBe(9_007_199_254_740_993n)
  })
})
