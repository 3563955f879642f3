import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { PaymentFact } from '../../src/events/payment-fact.ts'
import { applyFacts, type Ledger } from '../../src/orders/apply-facts.ts'
import { deriveOrder, paymentStatus } from '../../src/orders/derive-order.ts'
import { mergeFact } from '../../src/orders/merge-fact.ts'
import type { Order, Payment } from '../../src/orders/order.ts'
import { at, buildFact, buildPayment } from '../helpers/build-fact.ts'

const UNREGISTERED = { currency: null, expectedMinor: null }
const registered = (expectedMinor: bigint, currency = 'USD') => ({ currency, expectedMinor })

/** The payment that these facts make, in this order. */
function merge(...facts: Partial<PaymentFact>[]): Payment {
  return facts.map(buildFact).reduce<Payment | undefined>(mergeFact, undefined) as Payment
}

/** The same facts merged in both directions must be one payment; that payment. */
function mergeBothWays(...facts: Partial<PaymentFact>[]): Payment {
  const payment = merge(...facts)
  expect(merge(...facts.toReversed())).toEqual(payment)
  return payment
}

const ORDERS = ['ord_1', 'ord_2', 'ord_3']

/** A ledger with these orders, empty as the database makes them, and no payment. */
function emptyLedger(expected: Record<string, bigint> = {}): Ledger {
  const orders = ORDERS.map((orderId): [string, Order] => {
    const expectedMinor = expected[orderId] ?? null
    const registration = { currency: expectedMinor === null ? null : 'USD', expectedMinor }
    return [orderId, { orderId, expectedMinor, registeredAt: expectedMinor === null ? null : at(0), ...deriveOrder(registration, []) }]
  })
  return { orders: new Map(orders), payments: new Map() }
}

function apply(facts: Partial<PaymentFact>[], ledger = emptyLedger()): Ledger {
  applyFacts(ledger, facts.map(buildFact), at(100))
  return ledger
}

function orderAfter(...facts: Partial<PaymentFact>[]): Order | undefined {
  return apply(facts.map((fact, index) => ({ orderId: 'ord_1', eventId: `evt_${index}`, ...fact }))).orders.get('ord_1')
}

describe('the status of an order with nothing registered', () => {
  const refunded = (refundedMinor: bigint, paymentId = 'pi_1') => buildPayment({ refundedMinor, paymentId })
  const unpaid = (state: 'created' | 'requires_action' | 'processing' | 'authorized' | 'failed' | 'canceled', seconds = 0) =>
    buildPayment({ state, paymentId: `pi_${state}`, occurredAt: at(seconds) })

  it.each([
    ['pending', 'there is no payment', []],
    ['pending', 'a payment was only created', [unpaid('created')]],
    ['pending', 'one payment failed and another was only created', [unpaid('failed'), unpaid('created')]],
    ['processing', 'a payment is processing', [unpaid('processing')]],
    ['processing', 'a payment requires action', [unpaid('requires_action')]],
    ['processing', 'one payment failed and another is processing', [unpaid('failed'), unpaid('processing')]],
    ['authorized', 'a payment waits for capture', [unpaid('authorized')]],
    ['authorized', 'one payment is processing and another waits for capture', [unpaid('processing'), unpaid('authorized')]],
    ['failed', 'the only payment failed', [unpaid('failed')]],
    ['failed', 'the latest of two that ended failed', [unpaid('failed', 2), unpaid('canceled', 1)]],
    ['canceled', 'the only payment was canceled', [unpaid('canceled')]],
    ['canceled', 'the latest of two that ended was canceled', [unpaid('failed', 1), unpaid('canceled', 2)]],
    ['paid', 'a payment succeeded', [buildPayment()]],
    ['paid', 'a payment succeeded with 0', [buildPayment({ amountMinor: 0n, receivedMinor: 0n })]],
    ['paid', 'one payment failed and another succeeded', [unpaid('failed', 5), buildPayment()]],
    ['paid', 'one payment was refunded and another has nothing back', [refunded(2000n), buildPayment({ paymentId: 'pi_2' })]],
    ['partially_refunded', 'a part went back', [refunded(500n)]],
    ['partially_refunded', 'one payment went back and a part of another', [refunded(2000n), refunded(1n, 'pi_2')]],
    ['partially_paid', 'a payment received a part and goes on', [buildPayment({ state: 'requires_action', receivedMinor: 700n })]],
    ['refunded', 'all went back', [refunded(2000n)]],
    ['refunded', 'more than all went back', [refunded(3000n)]],
    ['refunded', 'all of two payments went back', [refunded(2000n), refunded(2000n, 'pi_2')]],
  ])('is %s when %s', (status, _, payments) => {
    const order = deriveOrder(UNREGISTERED, payments)

    expect(order.status).toBe(status)
  })
})

describe('the status of a registered order', () => {
  it.each([
    ['paid', 'exactly the expected amount is left', 2000n, [buildPayment()]],
    ['paid', 'more than expected is left', 1500n, [buildPayment()]],
    ['paid', 'a part went back and still what was expected is left', 1500n, [buildPayment({ refundedMinor: 500n })]],
    ['paid', 'two payments make up the expected amount', 4000n, [buildPayment(), buildPayment({ paymentId: 'pi_2' })]],
    ['paid', '0 is expected and 0 succeeded', 0n, [buildPayment({ amountMinor: 0n, receivedMinor: 0n })]],
    ['partially_paid', 'less than expected came and nothing went back', 10_000n, [buildPayment()]],
    ['partially_refunded', 'a part went back so that less than expected is left', 2000n, [buildPayment({ refundedMinor: 1n })]],
    ['refunded', 'all went back', 2000n, [buildPayment({ refundedMinor: 2000n })]],
    ['pending', '0 is expected and nothing has succeeded', 0n, []],
    ['pending', 'something is expected and only 0 succeeded', 2000n, [buildPayment({ amountMinor: 0n, receivedMinor: 0n })]],
    ['pending', 'the whole amount came in another currency', 2000n, [buildPayment({ currency: 'JPY' })]],
    ['processing', 'a payment in its currency is on its way', 2000n, [buildPayment({ state: 'processing' })]],
  ])('is %s when %s', (status, _, expectedMinor, payments) => {
    const order = deriveOrder(registered(expectedMinor), payments)

    expect(order.status).toBe(status)
  })
})

describe('the amounts of an order', () => {
  it('are what was received, gross, and what went back', () => {
    const order = deriveOrder(UNREGISTERED, [
      buildPayment({ refundedMinor: 500n }),
      buildPayment({ paymentId: 'pi_2', receivedMinor: 1000n }),
    ])

    expect(order).toMatchObject({ paidMinor: 3000n, refundedMinor: 500n, currency: 'USD' })
  })

  it('have no more back than each payment received', () => {
    const order = deriveOrder(UNREGISTERED, [buildPayment({ refundedMinor: 9000n }), buildPayment({ paymentId: 'pi_2' })])

    expect(order).toMatchObject({ paidMinor: 4000n, refundedMinor: 2000n })
  })

  it('leave out what came in another currency', () => {
    const order = deriveOrder(registered(2000n), [buildPayment(), buildPayment({ paymentId: 'pi_2', currency: 'JPY' })])

    expect(order).toMatchObject({ paidMinor: 2000n, currency: 'USD' })
  })

  it('are exact beyond what a double can hold', () => {
    const order = deriveOrder(
      UNREGISTERED,
      [9_007_199_254_740_991n, 2n].map((receivedMinor, i) => buildPayment({ receivedMinor, paymentId: `pi_${i}` })),
    )

    expect(order.paidMinor).toBe(9_007_199_254_740_993n)
  })
})

describe('the currency of an order', () => {
  const usd = { currency: 'USD', paymentId: 'pi_usd' }
  const eur = { currency: 'EUR', paymentId: 'pi_eur' }

  it('is the registered one, whatever was paid', () => {
    const order = deriveOrder(registered(2000n, 'EUR'), [buildPayment(usd)])

    expect(order.currency).toBe('EUR')
  })

  it.each([
    [
      'that of the earliest success',
      [
        { ...usd, occurredAt: at(2) },
        { ...eur, occurredAt: at(1) },
      ],
      'EUR',
    ],
    ['that of the smaller payment id when two succeeded at one time', [usd, eur], 'EUR'],
    [
      'that of a success before that of an earlier failure',
      [
        { ...usd, state: 'failed' },
        { ...eur, occurredAt: at(9) },
      ],
      'EUR',
    ],
    [
      'that of the earliest payment when none succeeded',
      [
        { ...usd, state: 'failed', occurredAt: at(1) },
        { ...eur, state: 'failed', occurredAt: at(0) },
      ],
      'EUR',
    ],
  ] as [string, Partial<PaymentFact>[], string][])('is %s', (_, facts, currency) => {
    const payments = facts.map(buildPayment)

    expect(deriveOrder(UNREGISTERED, payments).currency).toBe(currency)
    expect(deriveOrder(UNREGISTERED, payments.toReversed()).currency).toBe(currency)
  })

  it('is unknown without a payment', () => {
    expect(deriveOrder(UNREGISTERED, []).currency).toBeNull()
  })

  it('is that of the earliest success also after that payment was refunded', () => {
    const order = orderAfter(
      { ...usd, occurredAt: at(1) },
      { ...eur, occurredAt: at(2) },
      { ...usd, source: 'charge', name: 'payment.refunded', refundedMinor: 500n, occurredAt: at(3) },
    )

    expect(order?.currency).toBe('USD')
  })

  it('does not depend on the order of two payments of two providers with one id and time', () => {
    const payments = [buildPayment({ provider: 'stripe', currency: 'USD' }), buildPayment({ provider: 'adyen', currency: 'EUR' })]

    const currencies = [payments, payments.toReversed()].map((some) => deriveOrder(UNREGISTERED, some).currency)

    expect(currencies[0]).toBe(currencies[1])
  })
})

describe('the flags of an order', () => {
  const two = [buildPayment(), buildPayment({ paymentId: 'pi_2' })]

  it.each([
    ['nothing is registered', UNREGISTERED, [buildPayment()], ['unregistered']],
    ['two payments of an unregistered order have money left', UNREGISTERED, two, ['overpaid', 'unregistered']],
    [
      'one of two payments went back',
      UNREGISTERED,
      [buildPayment({ refundedMinor: 2000n }), buildPayment({ paymentId: 'pi_2' })],
      ['unregistered'],
    ],
    ['the expected amount came', registered(2000n), [buildPayment()], []],
    ['nothing came yet', registered(2000n), [], []],
    ['a payment failed', registered(2000n), [buildPayment({ state: 'failed' })], []],
    ['too little came', registered(2001n), [buildPayment()], ['amount_mismatch']],
    ['too much came', registered(1999n), [buildPayment()], ['amount_mismatch', 'overpaid']],
    ['too much came and what was too much went back', registered(1500n), [buildPayment({ refundedMinor: 500n })], []],
    ['the expected amount came and went back', registered(2000n), [buildPayment({ refundedMinor: 2000n })], []],
    ['it came in another currency', registered(2000n), [buildPayment({ currency: 'JPY' })], ['amount_mismatch', 'currency_mismatch']],
  ])('are, when %s, exactly these', (_, registration, payments, flags) => {
    const order = deriveOrder(registration, payments)

    expect([...order.flags].sort()).toEqual(flags)
  })
})

describe('the status of a payment', () => {
  it.each([
    ['succeeded', {}],
    ['partially_refunded', { refundedMinor: 1n }],
    ['refunded', { refundedMinor: 2000n }],
    ['succeeded', { amountMinor: 0n, receivedMinor: 0n }],
    ['failed', { state: 'failed' }],
    ['authorized', { state: 'authorized' }],
  ] as [string, Partial<PaymentFact>][])('is %s for %j', (status, fact) => {
    expect(paymentStatus(buildPayment(fact))).toBe(status)
  })
})

describe('the state of a payment', () => {
  it.each([
    ['a success, whatever comes later', { state: 'succeeded', occurredAt: at(1) }, { state: 'failed', occurredAt: at(9) }],
    ['a success of a checkout before a failure of the intent', { state: 'succeeded', source: 'checkout' }, { state: 'failed' }],
    [
      'what the intent says before a charge',
      { state: 'failed', source: 'payment' },
      { state: 'authorized', source: 'charge', occurredAt: at(9) },
    ],
    [
      'what a charge says before a checkout',
      { state: 'failed', source: 'charge' },
      { state: 'canceled', source: 'checkout', occurredAt: at(9) },
    ],
    [
      'what a checkout says before payment_intent.created',
      { state: 'processing', source: 'checkout' },
      { state: 'created', occurredAt: at(9) },
    ],
    ['the later of one source', { state: 'processing', occurredAt: at(2) }, { state: 'failed', occurredAt: at(1) }],
    ['the further at one time', { state: 'requires_action' }, { state: 'created' }],
    ['processing after requires_action at one time', { state: 'processing' }, { state: 'requires_action' }],
    ['authorized after processing at one time', { state: 'authorized' }, { state: 'processing' }],
    ['failed after authorized at one time', { state: 'failed' }, { state: 'authorized' }],
    ['canceled after failed at one time', { state: 'canceled' }, { state: 'failed' }],
  ] as [string, Partial<PaymentFact>, Partial<PaymentFact>][])('is %s', (_, winner, loser) => {
    const payment = mergeBothWays({ eventId: 'evt_a', ...winner }, { eventId: 'evt_b', ...loser })

    expect(payment.state).toBe(winner.state)
  })

  it('is that of the greater event id when all else is equal, and its fields with it', () => {
    const payment = mergeBothWays(
      { state: 'failed', eventId: 'evt_a', amountMinor: 1n },
      { state: 'failed', eventId: 'evt_b', amountMinor: 2n },
    )

    expect(payment).toMatchObject({ stateEventId: 'evt_b', amountMinor: 2n })
  })

  it('does not depend on which of two API versions of one event came first', () => {
    mergeBothWays({ amountMinor: 2000n, account: null }, { amountMinor: 2500n, account: 'acct_1' })
  })
})

describe('the amounts of a payment', () => {
  it('are the largest refund heard when 6000 and 10000 come in either order', () => {
    const charge = { source: 'charge', receivedMinor: 10_000n } as const

    const payment = mergeBothWays(
      { ...charge, refundedMinor: 6000n, occurredAt: at(1) },
      { ...charge, refundedMinor: 10_000n, occurredAt: at(2) },
    )

    expect(payment).toMatchObject({ receivedMinor: 10_000n, refundedMinor: 10_000n })
  })

  it('are counted once when one refund comes under two event ids', () => {
    const payment = mergeBothWays({ eventId: 'evt_a', refundedMinor: 500n }, { eventId: 'evt_b', refundedMinor: 500n })

    expect(payment.refundedMinor).toBe(500n)
  })

  it('are refunded although the success is heard after the refund', () => {
    const payment = mergeBothWays({ source: 'charge', refundedMinor: 2000n, occurredAt: at(2) }, { occurredAt: at(1) })

    expect(paymentStatus(payment)).toBe('refunded')
  })

  it('have for received what the intent says it received, not the total of its session', () => {
    const payment = mergeBothWays(
      { source: 'payment', receivedMinor: 2000n },
      { source: 'checkout', receivedMinor: 2500n, eventId: 'evt_2' },
    )

    expect(payment.receivedMinor).toBe(2000n)
  })
})

describe('the claim of a payment', () => {
  it.each([
    ['the only one', { orderId: 'ord_2', source: 'checkout' }, { source: 'payment' }],
    [
      "the payment's own before a session's",
      { orderId: 'ord_2', source: 'payment' },
      { orderId: 'ord_1', source: 'checkout', occurredAt: at(9) },
    ],
    ['the latest of one object', { orderId: 'ord_2', occurredAt: at(2) }, { orderId: 'ord_1', occurredAt: at(1) }],
    ['the smaller text at one time', { orderId: 'ord_1' }, { orderId: 'ord_2' }],
  ] as [string, Partial<PaymentFact>, Partial<PaymentFact>][])('is %s', (_, winner, loser) => {
    const payment = mergeBothWays({ eventId: 'evt_a', ...winner }, { eventId: 'evt_b', ...loser })

    expect(payment.orderId).toBe(winner.orderId)
  })

  it('moves the money from one order to another, and both are derived anew', () => {
    const { orders } = apply([
      { orderId: 'ord_1', source: 'checkout', eventId: 'evt_a' },
      { orderId: 'ord_2', source: 'payment', eventId: 'evt_b' },
    ])

    expect(orders.get('ord_1')).toMatchObject({ status: 'pending', paidMinor: 0n, currency: null })
    expect(orders.get('ord_2')).toMatchObject({ status: 'paid', paidMinor: 2000n, currency: 'USD' })
  })

  it('may come after the money', () => {
    const { orders } = apply([{}, { source: 'checkout', orderId: 'ord_1', eventId: 'evt_b' }])

    expect(orders.get('ord_1')?.status).toBe('paid')
  })
})

describe('the history of an order', () => {
  it('has a change with its cause', () => {
    const entries = applyFacts(emptyLedger(), [buildFact({ orderId: 'ord_1' })], at(100))

    expect(entries).toEqual([
      {
        orderId: 'ord_1',
        at: at(100),
        from: 'pending',
        to: 'paid',
        messageId: buildFact().messageId,
        fact: 'payment.succeeded',
        note: null,
      },
    ])
  })

  it('has nothing when the same fact is applied again', () => {
    const ledger = apply([{ orderId: 'ord_1' }])

    const entries = applyFacts(ledger, [buildFact({ orderId: 'ord_1' })], at(100))

    expect(entries).toEqual([])
  })

  it('has a change of the amount alone', () => {
    const ledger = apply([{ orderId: 'ord_1', source: 'charge', refundedMinor: 100n }])

    const entries = applyFacts(ledger, [buildFact({ orderId: 'ord_1', source: 'charge', refundedMinor: 200n, eventId: 'evt_2' })], at(100))

    expect(entries).toMatchObject([{ from: 'partially_refunded', to: 'partially_refunded' }])
  })
})

describe('any order and any repetition of facts', () => {
  const fact = fc
    .record({
      paymentId: fc.constantFrom('pi_1', 'pi_2', 'pi_3'),
      source: fc.constantFrom('payment', 'charge', 'checkout'),
      state: fc.constantFrom('created', 'requires_action', 'processing', 'authorized', 'failed', 'canceled', 'succeeded', undefined),
      orderId: fc.constantFrom(...ORDERS, undefined),
      currency: fc.constantFrom('USD', 'USD', 'EUR'),
      amountMinor: fc.constantFrom(1000n, 2000n),
      receivedMinor: fc.constantFrom(0n, 1000n, 2000n),
      refundedMinor: fc.constantFrom(0n, 0n, 500n, 2000n),
      seconds: fc.nat({ max: 3 }),
    })
    .map(({ seconds, state, orderId, ...fact }): Partial<PaymentFact> => {
      return { ...fact, occurredAt: at(seconds), ...(state && { state }), ...(orderId && { orderId }) }
    })
  const facts = fc
    .array(fact, { minLength: 1, maxLength: 8 })
    .map((facts) => facts.map(({ state, ...rest }, index) => withoutState({ ...rest, eventId: `evt_${index}` }, state)))
  const registration = fc.constantFrom({}, { ord_1: 2000n }, { ord_1: 1000n, ord_2: 3000n })
  const shuffled = facts.chain((facts) =>
    fc.record({
      facts: fc.constant(facts),
      order: fc.array(fc.nat({ max: facts.length - 1 }), { maxLength: 12 }),
      rest: fc.shuffledSubarray(facts, { minLength: facts.length, maxLength: facts.length }),
      batchSize: fc.integer({ min: 1, max: 6 }),
    }),
  )

  function withoutState(fact: Partial<PaymentFact>, state: PaymentFact['state']): PaymentFact {
    const { state: _, ...built } = buildFact(fact)
    return state === undefined ? built : { ...built, state }
  }

  function settle(facts: PaymentFact[], batchSize: number, expected: Record<string, bigint>) {
    const ledger = emptyLedger(expected)
    for (let start = 0; start < facts.length; start += batchSize) applyFacts(ledger, facts.slice(start, start + batchSize), at(100))
    const payments = [...ledger.payments].sort(([left], [right]) => (left < right ? -1 : 1))
    return { payments, orders: [...ledger.orders.values()] }
  }

  it('end in the same payments and orders, in whatever batches they are applied', () => {
    const statuses = new Set<string>()

    fc.assert(
      fc.property(shuffled, registration, ({ facts, order, rest, batchSize }, expected) => {
        const repeated = [...order.map((index) => facts[index] as PaymentFact), ...rest]
        const once = settle(facts, facts.length, expected)
        expect(settle(repeated, batchSize, expected)).toEqual(once)
        for (const { status } of once.orders) statuses.add(status)
      }),
      { numRuns: 2000 },
    )

    expect([...statuses].sort()).toEqual(
      ['authorized', 'canceled', 'failed', 'paid', 'partially_paid', 'partially_refunded', 'pending', 'processing', 'refunded'].sort(),
    )
  })

  it('leave each order as deriveOrder has it from the payments that name it', () => {
    fc.assert(
      fc.property(facts, registration, (facts, expected: Record<string, bigint>) => {
        const { payments, orders } = settle(facts, 3, expected)
        for (const { orderId, registeredAt, expectedMinor, ...derived } of orders) {
          const own = payments.map(([, payment]) => payment).filter((payment) => payment.orderId === orderId)
          expect(derived).toEqual(deriveOrder({ currency: registeredAt && 'USD', expectedMinor }, own))
        }
      }),
      { numRuns: 500 },
    )
  })
})
