import { describe, expect, it } from '@jest/globals'
import type { Arrival } from '../../chaos/stage/receiver.ts'
import { judgeEvents, type SentEvent, type StoredEvent } from '../../chaos/verify/judge-events.ts'
import { judgeMessages, type ToldOrder } from '../../chaos/verify/judge-messages.ts'
import { judgeOrders, judgeUnmatched, type OrderSeen } from '../../chaos/verify/judge-orders.ts'
import type { ExpectedOrder } from '../helpers/stories/model/world.ts'

const ORDER: ExpectedOrder = {
  order_id: 'ord_1',
  status: 'paid',
  currency: 'USD',
  expected_minor: null,
  paid_minor: 2000,
  refunded_minor: 0,
  disputed_minor: 0,
  charged_back_minor: 0,
  flags: ['unregistered'],
  payments: [],
}

describe('what the chaos run finds of an event', () => {
  const sent: SentEvent = { eventId: 'evt_1', digests: ['a', 'b'], accepted: 1, messageIds: ['m_1'] }
  const stored: StoredEvent = {
    eventId: 'evt_1',
    messageId: 'm_1',
    status: 'processed',
    digests: ['b', 'a'],
    jobs: 2,
    successes: 2,
    changes: 1,
  }
  const kindsOf = (event: Partial<SentEvent>, rows: StoredEvent[]) => judgeEvents([{ ...sent, ...event }], rows).map(({ kind }) => kind)

  it('is nothing where each body is stored and was applied once', () => {
    expect(kindsOf({}, [stored])).toEqual([])
  })

  it.each<[string, Partial<StoredEvent>, string]>([
    ['still waits', { status: 'received', jobs: 0, successes: 0, changes: 0 }, 'lost'],
    ['failed every attempt', { status: 'dead', jobs: 0, successes: 0, changes: 0 }, 'lost'],
    ['was applied with one of its bodies only', { jobs: 1, successes: 1 }, 'lost'],
    ['lacks a body that was answered 2xx', { digests: ['a'] }, 'lost'],
    ['has a body that nobody signed', { digests: ['a', 'b', 'c'] }, 'forged'],
    ['was applied twice by one job', { successes: 3 }, 'doubled'],
    ['has a job too many', { jobs: 3, successes: 3 }, 'doubled'],
    ['changed its order more often than it has bodies', { changes: 3 }, 'doubled'],
    ['is known by another id than its answers said', { messageId: 'm_2' }, 'wrong'],
  ])('that %s is found', (_what, doctored, kind) => {
    expect(kindsOf({}, [{ ...stored, ...doctored }])).toEqual([kind])
  })

  it('that is not stored is lost', () => {
    expect(kindsOf({}, [])).toEqual(['lost'])
  })

  it('that is stored or accepted as new twice is doubled', () => {
    expect(kindsOf({}, [stored, stored])).toEqual(['doubled'])
    expect(kindsOf({ accepted: 2 }, [stored])).toEqual(['doubled'])
  })

  it('that nobody sent is forged', () => {
    expect(kindsOf({}, [stored, { ...stored, eventId: 'evt_forged' }])).toEqual(['forged'])
  })
})

describe('what the chaos run finds of an order', () => {
  const history = [
    { from: 'pending', to: 'processing' },
    { from: 'processing', to: 'processing' },
    { from: 'processing', to: 'paid' },
  ]
  const whatOf = (seen: Partial<OrderSeen>) => judgeOrders([{ expected: ORDER, shown: ORDER, history, ...seen }]).map(({ what }) => what)

  it('is nothing where it is as the model says, and its history leads there', () => {
    expect(whatOf({})).toEqual([])
  })

  it('is each field in which it differs', () => {
    expect(whatOf({ shown: { ...ORDER, paid_minor: 4000, flags: ['overpaid', 'unregistered'] } })).toEqual([
      'ord_1: paid_minor is 4000; the model says 2000',
      'ord_1: flags is ["overpaid","unregistered"]; the model says ["unregistered"]',
    ])
  })

  it('is that it is not there', () => {
    expect(whatOf({ shown: undefined })).toEqual(['ord_1 is not there; the model says paid'])
  })

  it('is a change that is missing in its history, or there twice', () => {
    expect(whatOf({ history: history.slice(2) })).toEqual([expect.stringContaining('does not lead to `paid`')])
    expect(whatOf({ history: history.slice(0, 2) })).toEqual([expect.stringContaining('does not lead to `paid`')])
    expect(whatOf({ history: [...history, ...history.slice(2)] })).toEqual([expect.stringContaining('does not lead to `paid`')])
  })

  it('is a payment that has an order, or has none, against the model', () => {
    expect(judgeUnmatched(['pi_1', 'pi_2'], ['pi_2', 'pi_3']).map(({ what }) => what)).toEqual([
      'pi_1 is not among the payments without an order',
      'pi_3 has no order; the model knows one',
    ])
  })
})

describe('what the chaos run finds of the messages of an order', () => {
  const told: ToldOrder = { orderId: 'ord_1', sequence: 2, expected: ORDER }
  const { payments: _payments, ...shown } = ORDER
  const first: Arrival = {
    id: 'm_1',
    orderId: 'ord_1',
    sequence: 1,
    digest: 'one',
    after: 0,
    isTaken: true,
    order: { ...shown, status: 'pending' },
  }
  const last: Arrival = { ...first, id: 'm_2', sequence: 2, digest: 'two', after: 1, order: shown }
  const findingsOf = (arrivals: Arrival[]) => judgeMessages([told], arrivals).map(({ kind, what }) => `${kind}: ${what}`)

  it('is nothing where each arrived in its turn, some once more', () => {
    expect(findingsOf([first, { ...first, after: 1 }, last])).toEqual([])
  })

  it('is one that never arrived, or was never taken', () => {
    expect(findingsOf([first])).toEqual(['lost: ord_1: message 2 of 2 never arrived'])
    expect(findingsOf([first, { ...last, isTaken: false }])).toEqual(['lost: ord_1: message 2 of 2 never arrived'])
  })

  it('is a second message of one number', () => {
    expect(findingsOf([first, { ...first, id: 'm_3', after: 1 }, last])).toEqual(['doubled: ord_1: there are two messages 1'])
  })

  it('is one id with two contents', () => {
    expect(findingsOf([first, { ...first, digest: 'other', after: 1 }, last])).toEqual(['doubled: message m_1 has 2 contents'])
  })

  it('is one that came late or too early', () => {
    expect(findingsOf([first, last, { ...first, after: 2 }])).toEqual(['wrong: ord_1: message 1 came after 2'])
    expect(findingsOf([{ ...last, after: 0 }, first])).toEqual(['wrong: ord_1: message 2 came when only 0 was taken'])
  })

  it('is one of a change or an order that is not stored', () => {
    const third = { ...last, id: 'm_3', sequence: 3, digest: 'three', after: 2 }
    expect(findingsOf([first, last, third])).toEqual(['wrong: ord_1: message 3 tells of a change that is not stored'])
    expect(findingsOf([first, last, { ...first, id: 'm_4', orderId: 'ord_2' }])).toEqual([
      'wrong: a message tells of ord_2, which is not stored',
    ])
  })

  it('is a signature that does not hold', () => {
    expect(findingsOf([{ ...first, order: undefined }, last])).toEqual(['wrong: ord_1: the signature of message 1 does not hold'])
  })

  it('is a last message that shows another order than the model', () => {
    expect(findingsOf([first, { ...last, order: { ...shown, paid_minor: 1 } }])).toEqual([
      'wrong: ord_1: the last message says paid_minor 1; the model 2000',
    ])
  })
})
