import { describe, expect, it } from '@jest/globals'
import { deriveOrder } from '../../src/orders/derive-order.ts'
import type { Payment, Registration } from '../../src/orders/order.ts'
import { at, buildPayment } from '../helpers/build-fact.ts'

const UNREGISTERED: Registration = { orderId: 'ord_1', currency: null, expectedMinor: null, account: null }
const registered = (expectedMinor: bigint, account: string | null = null): Registration => ({
  orderId: 'ord_1',
  currency: 'USD',
  expectedMinor,
  account,
})

const paid = (overrides: Partial<Payment> = {}) => buildPayment(overrides)
const second = (overrides: Partial<Payment> = {}) => buildPayment({ paymentId: 'pi_2', ...overrides })

function flagsOf(registration: Registration, payments: Payment[]): string[] {
  const { flags } = deriveOrder(registration, payments)
  expect(deriveOrder(registration, payments.toReversed()).flags).toEqual(flags)
  return flags
}

describe('the flags of an order', () => {
  it.each([
    ['nothing is registered', UNREGISTERED, [paid()], ['unregistered']],
    ['two payments of an unregistered order have money left', UNREGISTERED, [paid(), second()], ['overpaid', 'unregistered']],
    ['one of two payments went back', UNREGISTERED, [paid({ refundedMinor: 2000n }), second()], ['unregistered']],
    ['one of two payments was lost', UNREGISTERED, [paid({ chargedBackMinor: 2000n }), second()], ['unregistered']],
    ['one of two payments was of 0', UNREGISTERED, [paid({ amountMinor: 0n }), second()], ['unregistered']],
    ['one of two payments does not count', UNREGISTERED, [paid(), second({ currency: 'JPY' })], ['unregistered', 'currency_mismatch']],
    ['the expected amount came', registered(2000n), [paid()], []],
    ['nothing came yet', registered(2000n), [], []],
    ['a payment failed', registered(2000n), [paid({ state: 'failed' })], []],
    ['a part came and nothing succeeded yet', registered(2000n), [paid({ state: 'processing', receivedMinor: 700n })], []],
    ['too little came', registered(2001n), [paid()], ['amount_mismatch']],
    ['too much came', registered(1999n), [paid()], ['amount_mismatch', 'overpaid']],
    [
      'too much came in parts and nothing succeeded yet',
      registered(500n),
      [paid({ state: 'processing', receivedMinor: 700n })],
      ['overpaid'],
    ],
    ['the expected amount came twice', registered(2000n), [paid(), second()], ['amount_mismatch', 'overpaid']],
    ['the expected amount came in two payments', registered(4000n), [paid(), second()], []],
    ['too much came and what was too much went back', registered(1500n), [paid({ refundedMinor: 500n })], []],
    ['the expected amount came and went back', registered(2000n), [paid({ refundedMinor: 2000n })], []],
    ['the expected amount came and was lost', registered(2000n), [paid({ chargedBackMinor: 2000n })], []],
    ['it came in another currency', registered(2000n), [paid({ currency: 'JPY' })], ['amount_mismatch', 'currency_mismatch']],
    ['it came to another account', registered(2000n, 'acct_1'), [paid({ account: 'acct_2' })], ['amount_mismatch', 'account_mismatch']],
    ['it came to no account and one is registered', registered(2000n, 'acct_1'), [paid()], ['amount_mismatch', 'account_mismatch']],
    ['it came to the registered account', registered(2000n, 'acct_1'), [paid({ account: 'acct_1' })], []],
    ['it came to some account and none is registered', registered(2000n), [paid({ account: 'acct_2' })], []],
    ['a test payment is beside a live one', registered(2000n), [paid({ livemode: true }), second()], ['mode_mismatch']],
    ['there are only test payments', registered(4000n), [paid(), second()], []],
    ['one does not say its mode beside a live one', registered(4000n), [paid({ livemode: true }), second({ livemode: null })], []],
    [
      'a test payment in another currency came to another account',
      registered(2000n, 'acct_1'),
      [paid({ account: 'acct_1', livemode: true }), second({ currency: 'JPY' })],
      ['account_mismatch', 'mode_mismatch', 'currency_mismatch'],
    ],
    ['other orders are named for its payment', registered(2000n), [paid({ rivalOrderIds: ['ord_2'] })], ['claim_conflict']],
    [
      'it is named for the payment of another',
      registered(2000n),
      [paid({ orderId: 'ord_2', rivalOrderIds: ['ord_1'] })],
      ['claim_conflict'],
    ],
    ['a payment was made by other means', registered(2000n), [paid({ flags: ['out_of_band'] })], ['out_of_band']],
    ['a payment has an inquiry', registered(2000n), [paid({ flags: ['inquiry'] })], ['inquiry']],
    [
      'the payment of another order has flags',
      registered(2000n),
      [paid({ orderId: 'ord_2', rivalOrderIds: ['ord_1'], flags: ['inquiry', 'out_of_band'], currency: 'JPY' })],
      ['claim_conflict'],
    ],
  ])('are, when %s, exactly these', (_, registration, payments, flags) => {
    expect(flagsOf(registration, payments)).toEqual(flags)
  })
})

describe('the currency of an order', () => {
  const usd = { currency: 'USD', paymentId: 'pi_usd' }
  const eur = { currency: 'EUR', paymentId: 'pi_eur' }

  it('is the registered one, whatever was paid', () => {
    expect(deriveOrder({ ...registered(2000n), currency: 'EUR' }, [paid(usd)]).currency).toBe('EUR')
  })

  it.each([
    ['that of the earliest success', UNREGISTERED, paid({ ...usd, stateAt: at(2) }), paid({ ...eur, stateAt: at(1) })],
    [
      'that of the earliest success, although another began earlier',
      UNREGISTERED,
      paid({ ...usd, stateAt: at(2), firstAt: at(0) }),
      paid({ ...eur, stateAt: at(1) }),
    ],
    ['that of the smaller payment id when two succeeded at one time', UNREGISTERED, paid(usd), paid(eur)],
    [
      'that of a success before that of an earlier failure',
      UNREGISTERED,
      paid({ ...usd, state: 'failed' }),
      paid({ ...eur, stateAt: at(9) }),
    ],
    [
      'that of the earliest payment when none succeeded',
      UNREGISTERED,
      paid({ ...usd, state: 'failed', stateAt: at(1) }),
      paid({ ...eur, state: 'failed', stateAt: at(0) }),
    ],
    [
      'that of the earliest success also after that was refunded',
      UNREGISTERED,
      paid({ ...usd, stateAt: at(2) }),
      paid({ ...eur, stateAt: at(1), refundedMinor: 2000n }),
    ],
    [
      'that of a live payment before that of an earlier test',
      UNREGISTERED,
      paid({ ...usd, stateAt: at(1) }),
      paid({ ...eur, stateAt: at(2), livemode: true }),
    ],
    [
      'that of the registered account before that of an earlier success of another',
      { ...UNREGISTERED, account: 'acct_1' },
      paid({ ...usd, stateAt: at(1) }),
      paid({ ...eur, stateAt: at(2), account: 'acct_1' }),
    ],
  ])('is %s', (_, registration, other, deciding) => {
    expect(deriveOrder(registration, [other, deciding]).currency).toBe('EUR')
    expect(deriveOrder(registration, [deciding, other]).currency).toBe('EUR')
  })

  it('is that of a payment that does not count when there is no other', () => {
    const order = deriveOrder({ ...UNREGISTERED, account: 'acct_1' }, [paid(eur)])

    expect(order).toMatchObject({ currency: 'EUR', paidMinor: 0n })
  })

  it('is unknown without a payment', () => {
    expect(deriveOrder(UNREGISTERED, []).currency).toBeNull()
  })

  it('does not depend on the order of two payments of two providers with one id and time', () => {
    const payments = [paid({ provider: 'stripe', currency: 'USD' }), paid({ provider: 'adyen', currency: 'EUR' })]

    const currencies = [payments, payments.toReversed()].map((some) => deriveOrder(UNREGISTERED, some).currency)

    expect(currencies[0]).toBe(currencies[1])
  })
})
