import { describe, expect, it } from '@jest/globals'
import type { PaymentFact } from '../../src/events/payment-fact.ts'
import { applyEvents, type Books, type EventFacts } from '../../src/orders/apply-facts.ts'
import type { HistoryEntry } from '../../src/orders/order.ts'
import { at, buildBooks, buildFact, buildTie, type FactOverrides } from '../helpers/build-fact.ts'

const NOW = at(100)
const ofIntent = { names: ['payment/pi_1'] }
const paid = buildFact('payment/pi_1', { state: 'succeeded', orderId: 'ord_1' })
const charge = (overrides: FactOverrides = {}) => buildFact('charge/ch_1', { state: 'succeeded', ...ofIntent, ...overrides })
const failed = buildFact('payment/pi_1', { state: 'failed', occurredAt: at(1) })

/** Applies each list of facts as an event of its own, all in one batch. */
function apply(books: Books, ...events: PaymentFact[][]): HistoryEntry[] {
  return applyEvents(
    books,
    events.map((facts, index): EventFacts => ({ messageId: `message_${index}`, isRepeat: false, facts })),
    NOW,
  )
}

function statusesOf({ orders }: Books): [string, string, bigint][] {
  return [...orders.values()].map(({ orderId, status, paidMinor }) => [orderId, status, paidMinor])
}

describe('the orders after an event', () => {
  it('have the payment that names one', () => {
    const books = buildBooks({ ord_1: 2000n })

    apply(books, [paid])

    expect(books.orders.get('ord_1')).toMatchObject({ status: 'paid', paidMinor: 2000n, currency: 'USD', flags: [] })
    expect([...books.payments.keys()]).toEqual(['stripe payment/pi_1'])
  })

  it('have a payment that was named only after the money came', () => {
    const books = buildBooks()

    apply(books, [charge()], [buildFact('checkout/cs_1', { state: 'succeeded', orderId: 'ord_1', ...ofIntent })])

    expect(books.orders.get('ord_1')?.status).toBe('paid')
  })

  it('are both derived anew when a more exact claim moves the money, and both show the conflict', () => {
    const books = buildBooks()

    apply(books, [buildFact('checkout/cs_1', { state: 'succeeded', orderId: 'ord_2', ...ofIntent })], [paid])

    expect(books.orders.get('ord_1')).toMatchObject({ status: 'paid', paidMinor: 2000n, flags: ['unregistered', 'claim_conflict'] })
    expect(books.orders.get('ord_2')).toMatchObject({ status: 'pending', paidMinor: 0n, currency: null })
    expect(books.orders.get('ord_2')?.flags).toEqual(['unregistered', 'claim_conflict'])
  })

  it('have one payment where two were, once these are known to be one', () => {
    const books = buildBooks()
    apply(books, [paid], [buildFact('charge/ch_1', { state: 'succeeded', orderId: 'ord_1' })])
    expect(statusesOf(books)[0]).toEqual(['ord_1', 'paid', 4000n])

    apply(books, [buildTie('charge/ch_1', 'payment/pi_1')])

    expect(statusesOf(books)[0]).toEqual(['ord_1', 'paid', 2000n])
    expect([...books.payments.keys()]).toEqual(['stripe payment/pi_1'])
  })

  it('know payments of two providers with one id apart', () => {
    const books = buildBooks()

    apply(books, [paid, { ...paid, provider: 'adyen' }])

    expect(statusesOf(books)[0]).toEqual(['ord_1', 'paid', 4000n])
  })

  it('are as they were when nothing names one', () => {
    const books = buildBooks()

    const entries = apply(books, [buildFact('payment/pi_1', { state: 'succeeded' })])

    expect(entries).toEqual([])
    expect(statusesOf(books)).toEqual(statusesOf(buildBooks()))
  })
})

describe('the history of an order', () => {
  it('has a change with its cause', () => {
    const entries = apply(buildBooks(), [paid])

    expect(entries).toEqual([
      {
        orderId: 'ord_1',
        at: NOW,
        from: 'pending',
        to: 'paid',
        messageId: 'message_0',
        replayId: null,
        correlationId: null,
        fact: 'payment.succeeded',
        note: null,
      },
    ])
  })

  it('has each event of a batch that changed something, in the order in which they came', () => {
    const entries = apply(
      buildBooks(),
      [buildFact('payment/pi_1', { state: 'processing', orderId: 'ord_1' })],
      [buildFact('payment/pi_1', { state: 'processing', orderId: 'ord_1' })],
      [{ ...paid, occurredAt: at(2) }],
      [charge({ refundedMinor: 2000n })],
    )

    expect(entries.map(({ messageId, fact, from, to }) => [messageId, fact, from, to])).toEqual([
      ['message_0', 'payment.processing', 'pending', 'processing'],
      ['message_2', 'payment.succeeded', 'processing', 'paid'],
      ['message_3', 'charge.succeeded', 'paid', 'refunded'],
    ])
  })

  it('has one entry for an event of several facts', () => {
    const entries = apply(buildBooks(), [
      charge({ orderId: 'ord_1' }),
      buildFact('refund/re_1', { state: 'pending', names: ['charge/ch_1'] }),
    ])

    expect(entries).toMatchObject([{ from: 'pending', to: 'refunded', fact: 'charge.succeeded' }])
  })

  it('has an entry for each order that an event changed, by their ids', () => {
    const books = buildBooks()
    apply(books, [buildFact('checkout/cs_1', { state: 'succeeded', orderId: 'ord_2', ...ofIntent })])

    const entries = apply(books, [paid])

    expect(entries.map(({ orderId, from, to }) => [orderId, from, to])).toEqual([
      ['ord_1', 'pending', 'paid'],
      ['ord_2', 'paid', 'pending'],
    ])
  })

  it.each([
    ['an amount', charge({ refundedMinor: 100n }), charge({ refundedMinor: 200n, occurredAt: at(2) }), 'partially_refunded'],
    ['a flag', charge(), buildFact('dispute/du_1', { state: 'inquiry', names: ['charge/ch_1'] }), 'paid'],
  ])('has a change of %s alone', (_, before, fact, status) => {
    const books = buildBooks()
    apply(books, [paid], [before])

    expect(apply(books, [fact])).toMatchObject([{ from: status, to: status, note: null }])
  })

  it('has nothing of an event that changed only what nobody is told of', () => {
    const books = buildBooks()
    apply(books, [paid])

    expect(apply(books, [charge()])).toEqual([])
  })
})

describe('an event that comes again', () => {
  it.each([
    ['changed an order', [], paid],
    ['was refused', [paid], failed],
  ])('adds no history when it %s', (_, known, fact) => {
    const books = buildBooks()
    apply(books, ...[...known, fact].map((one) => [one]))
    const before = new Map(books.orders)

    const entries = applyEvents(books, [{ messageId: 'message_9', isRepeat: true, facts: [fact] }], at(200))

    expect(entries).toEqual([])
    expect(books.orders).toEqual(before)
  })

  it('adds what its second body says and the first did not', () => {
    const books = buildBooks()
    apply(books, [buildFact('payment/pi_1', { state: 'succeeded' })])

    const entries = applyEvents(books, [{ messageId: 'message_9', isRepeat: true, facts: [paid] }], at(200))

    expect(entries).toMatchObject([{ orderId: 'ord_1', to: 'paid', messageId: 'message_9' }])
  })
})

describe('an event that says what no longer can be', () => {
  it('leaves one note at the order of its payment', () => {
    const books = buildBooks()
    apply(books, [paid])

    const entries = apply(books, [failed])

    expect(entries).toEqual([
      {
        orderId: 'ord_1',
        at: NOW,
        replayId: null,
        correlationId: null,
        from: 'paid',
        to: 'paid',
        messageId: 'message_0',
        fact: 'payment.failed',
        note: 'payment.failed after succeeded: kept',
      },
    ])
  })

  it('leaves one note although it has several facts', () => {
    const books = buildBooks()
    apply(books, [paid])

    expect(apply(books, [failed, buildTie('charge/ch_1', 'payment/pi_1')])).toHaveLength(1)
  })

  it('leaves none when its payment is for no order', () => {
    const books = buildBooks()
    apply(books, [buildFact('payment/pi_1', { state: 'succeeded' })])

    expect(apply(books, [failed])).toEqual([])
  })

  it('leaves none beside a change of its own', () => {
    const books = buildBooks()
    apply(books, [paid])

    const entries = apply(books, [charge({ state: 'failed', orderId: 'ord_2' })])

    expect(entries.map(({ orderId, note }) => [orderId, note])).toEqual([
      ['ord_1', null],
      ['ord_2', null],
    ])
  })
})
