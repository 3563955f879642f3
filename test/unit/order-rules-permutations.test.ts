import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { PaymentFact } from '../../src/events/payment-fact.ts'
import { applyEvents, type Books, type EventFacts, ordersOf, registrationOf } from '../../src/orders/apply-facts.ts'
import { deriveOrder } from '../../src/orders/derive-order.ts'
import { buildLedger, type LedgerObject } from '../../src/orders/ledger.ts'
import type { HistoryEntry, Order, Payment } from '../../src/orders/order.ts'
import { at, buildBooks, buildFact, buildTie, type FactOverrides } from '../helpers/build-fact.ts'

type Ending = { orders: Order[]; payments: Payment[]; history: HistoryEntry[] }

/** Applies the events in batches of this size; between two the ledger is stored and loaded again. */
function settle(events: EventFacts[], batchSize: number, expected: Record<string, bigint>): Ending {
  const books: Books = buildBooks(expected)
  const seen = new Set<string>()
  const history: HistoryEntry[] = []
  for (let start = 0; start < events.length; start += batchSize) {
    const batch = events.slice(start, start + batchSize).map((event) => {
      const isRepeat = seen.has(event.messageId)
      seen.add(event.messageId)
      return { ...event, isRepeat }
    })
    history.push(...applyEvents(books, batch, at(100)))
    books.ledger = buildLedger(JSON.parse(JSON.stringify([...books.ledger.objects.values()])) as LedgerObject[])
  }
  const payments = [...books.payments].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, payment]) => withoutParts(payment))
  return { orders: [...books.orders.values()], payments, history }
}

function withoutParts(payment: Payment): Payment {
  const {
    refunds: _,
    disputes: __,
    references: ___,
    ...plain
  } = payment as Payment & Record<'refunds' | 'disputes' | 'references', unknown>
  return plain
}

/** That the history of each order is one chain that ends in its status, and that all follows from the payments alone. */
function expectSound({ orders, payments, history }: Ending): void {
  for (const order of orders) {
    const entries = history.filter(({ orderId }) => orderId === order.orderId)
    expect(['pending', ...entries.map(({ to }) => to)]).toEqual([...entries.map(({ from }) => from), order.status])
    const own = payments.filter((payment) => ordersOf(payment).includes(order.orderId))
    expect(order).toEqual({ ...order, ...deriveOrder(registrationOf(order), own) })
  }
}

/** The same events with repeats, in any order. */
function shuffle(events: EventFacts[]): fc.Arbitrary<EventFacts[]> {
  return fc
    .tuple(
      fc.array(fc.constantFrom(...events), { maxLength: 6 }),
      fc.shuffledSubarray(events, { minLength: events.length, maxLength: events.length }),
    )
    .map(([repeats, all]) => [...repeats, ...all])
}

function toEvents(lists: PaymentFact[][]): EventFacts[] {
  return lists.map((facts, index) => ({
    messageId: `message_${index}`,
    isRepeat: false,
    facts: facts.map((fact) => ({ ...fact, eventId: `evt_${index}` })),
  }))
}

/** One line of a story: what an event at that second says of one object. */
function say(second: number, key: string, overrides: FactOverrides = {}): PaymentFact {
  return buildFact(key, { occurredAt: at(second), ...overrides })
}

const ofIntent = { names: ['payment/pi_1'] }
const ofCharge = { names: ['charge/ch_2', 'payment/pi_1'] }
const STORIES = toEvents([
  // A card that failed once, was paid, partly refunded (one refund failed) and lost in a dispute.
  [say(0, 'payment/pi_1', { state: 'created' })],
  [say(1, 'charge/ch_1', { state: 'failed', ...ofIntent })],
  [say(1, 'payment/pi_1', { state: 'failed', names: ['charge/ch_1'] })],
  [say(2, 'charge/ch_2', { state: 'succeeded', ...ofIntent })],
  [say(2, 'payment/pi_1', { state: 'succeeded', names: ['charge/ch_2'] })],
  [say(2, 'checkout/cs_1', { state: 'succeeded', orderId: 'ord_1', ...ofIntent })],
  [say(3, 'refund/re_1', { state: 'pending', amountMinor: 500n, startedAt: at(3), ...ofCharge }), buildTie('charge/ch_2', 'payment/pi_1')],
  [say(4, 'charge/ch_2', { state: 'succeeded', refundedMinor: 800n, ...ofIntent })],
  [say(4, 'refund/re_2', { state: 'succeeded', amountMinor: 300n, startedAt: at(4), ...ofCharge })],
  [say(6, 'refund/re_1', { state: 'failed', amountMinor: 500n, startedAt: at(3), ...ofCharge })],
  [say(7, 'dispute/du_1', { state: 'open', amountMinor: 700n, ...ofCharge })],
  [say(8, 'dispute/du_1', { state: 'lost', amountMinor: 700n, ...ofCharge })],
  // An invoice paid in two parts and by other means, and the renewal after it, which an invoice alone tells of.
  [say(1, 'invoice/in_1', { state: 'failed', amountMinor: 5000n, receivedMinor: 0n, orderId: 'ord_2', names: ['payment/pi_2'] })],
  [say(2, 'payment/pi_2', { state: 'succeeded', amountMinor: 1500n })],
  [say(2, 'charge/ch_3', { state: 'succeeded', amountMinor: 1000n, names: ['invoice/in_1'] })],
  [say(3, 'invoice/in_1', { state: 'succeeded', amountMinor: 5000n, orderId: 'ord_2', names: ['payment/pi_2', 'charge/ch_3'] })],
  [say(4, 'invoice/in_2', { state: 'succeeded', names: ['payment/pi_3'] })],
  [say(4, 'payment/pi_3', { state: 'created', livemode: true })],
  // A live payment and a test for one order, two orders named for one payment, and another currency.
  [say(1, 'payment/pi_4', { state: 'succeeded', livemode: true, orderId: 'ord_3' })],
  [say(1, 'checkout/cs_4', { state: 'succeeded', livemode: true, orderId: 'ord_2', names: ['payment/pi_4'] })],
  [say(1, 'payment/pi_5', { state: 'succeeded', orderId: 'ord_3' })],
  [say(1, 'charge/ch_6', { state: 'authorized', livemode: true, currency: 'EUR', orderId: 'ord_3' })],
  [say(2, 'charge/ch_6', { state: 'canceled', livemode: true, currency: 'EUR', releasedMinor: 2000n })],
])

describe('any order and any repetition of a rich set of events', () => {
  const expected = { ord_1: 2000n, ord_2: 5000n }
  const once = settle(STORIES, STORIES.length, expected)

  it('is rich: it ends in these orders and payments', () => {
    expect(once.orders.map(({ orderId, status, paidMinor, flags }) => [orderId, status, paidMinor, ...flags])).toEqual([
      ['ord_1', 'partially_refunded', 2000n],
      ['ord_2', 'paid', 5000n, 'claim_conflict', 'out_of_band'],
      ['ord_3', 'paid', 2000n, 'unregistered', 'claim_conflict', 'mode_mismatch', 'currency_mismatch'],
    ])
    expect(once.payments.map(({ paymentId, status, receivedMinor }) => [paymentId, status, receivedMinor])).toEqual([
      ['ch_3', 'succeeded', 1000n],
      ['ch_6', 'canceled', 0n],
      ['in_1', 'succeeded', 2500n],
      ['pi_1', 'partially_refunded', 2000n],
      ['pi_2', 'succeeded', 1500n],
      ['pi_3', 'succeeded', 2000n],
      ['pi_4', 'succeeded', 2000n],
      ['pi_5', 'succeeded', 2000n],
    ])
  })

  it('ends in the same orders and payments, in whatever batches', () => {
    fc.assert(
      fc.property(shuffle(STORIES), fc.integer({ min: 1, max: 12 }), (events, batchSize) => {
        const ending = settle(events, batchSize, expected)
        expect([ending.orders, ending.payments]).toEqual([once.orders, once.payments])
        expectSound(ending)
      }),
      { numRuns: 150 },
    )
  })
})

describe('any order and any repetition of generated events', () => {
  const KEYS = ['payment/pi_1', 'payment/pi_2', 'charge/ch_1', 'charge/ch_2', 'checkout/cs_1', 'invoice/in_1', 'invoice/in_2']
  const amount = fc.constantFrom(0n, 500n, 1000n, 2000n)
  const common = {
    occurredAt: fc.integer({ min: 0, max: 3 }).map(at),
    names: fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 2 }),
    currency: fc.constantFrom('USD', 'USD', 'EUR'),
    amountMinor: amount,
    livemode: fc.constantFrom(false, false, true),
  }
  const money = {
    state: fc.constantFrom('created', 'requires_action', 'processing', 'authorized', 'failed', 'canceled', 'succeeded'),
    orderId: fc.constantFrom('ord_1', 'ord_2', 'ord_3'),
    receivedMinor: amount,
    settledMinor: amount,
    refundedMinor: amount,
    releasedMinor: fc.constant(500n),
    isOutOfBand: fc.constant(true),
  } as const
  const refundState = fc.constantFrom('pending', 'requires_action', 'succeeded', 'canceled', 'failed')
  const disputeState = fc.constantFrom('inquiry', 'inquiry_closed', 'open', 'won', 'prevented', 'refunded', 'lost')
  const requiredKeys: (keyof typeof common)[] = ['occurredAt', 'names', 'currency', 'amountMinor', 'livemode']
  const fact = fc.oneof(
    { weight: 5, arbitrary: fc.tuple(fc.constantFrom(...KEYS), fc.record({ ...common, ...money }, { requiredKeys })) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('refund/re_1', 'refund/re_2'), fc.record({ ...common, state: refundState })) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('dispute/du_1', 'dispute/du_2'), fc.record({ ...common, state: disputeState })) },
  )
  const events = fc
    .array(fc.array(fact, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 8 })
    .map((lists) => toEvents(lists.map((facts) => facts.map(([key, overrides]) => buildFact(key, overrides as FactOverrides)))))
  const sequences = events.chain((some) => fc.tuple(fc.constant(some), shuffle(some), fc.integer({ min: 1, max: 5 })))
  const expectation = fc.constantFrom<Record<string, bigint>[]>({}, { ord_1: 2000n }, { ord_1: 1000n, ord_2: 3000n })

  it('ends in the same orders and payments, in whatever batches, with a history that leads there', () => {
    const statuses = new Set<string>()

    fc.assert(
      fc.property(sequences, expectation, ([some, shuffled, batchSize], expected) => {
        const once = settle(some, some.length, expected)
        const ending = settle(shuffled, batchSize, expected)
        expect([ending.orders, ending.payments]).toEqual([once.orders, once.payments])
        expectSound(ending)
        for (const { status } of once.orders) statuses.add(status)
      }),
      { numRuns: 500 },
    )

    expect(statuses.size).toBeGreaterThanOrEqual(10)
  })
})
