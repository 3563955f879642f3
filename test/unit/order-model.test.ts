import { describe, expect, it } from '@jest/globals'
import { countTypes } from '../helpers/stories/coverage.ts'
import { expectOrders } from '../helpers/stories/model/expect-orders.ts'
import { linked, orderOf, paid, registered, say, world } from '../helpers/stories/say.ts'
import { EVENT_TYPES } from '../helpers/stories/story.ts'
import { sampleStories } from '../helpers/stories/tell-story.ts'

const charge = (id: string, payment: string, receivedMinor = 0n) => say(id, { with: [payment], receivedMinor, amount: 1000n })
const refund = (id: string, state: 'pending' | 'succeeded' | 'failed', amount: bigint, at = 10) =>
  say(id, { with: ['ch_1'], state, amount, at, startedAt: 10 })

describe('the state of a payment in the model', () => {
  it('stays succeeded when a failure happened later', () => {
    expect(orderOf([paid(), say('pi_1', { state: 'failed', at: 9 })]).status).toBe('paid')
  })

  it('is that of the later fact, wherever it stands in the list', () => {
    const facts = [say('pi_1', { state: 'canceled', at: 2, amount: 1000n, orderId: 'ord_1' }), say('pi_1', { state: 'failed', at: 3 })]
    expect([orderOf(facts).status, orderOf(facts.toReversed()).status]).toEqual(['failed', 'failed'])
  })

  it('is the further one of two in the same second', () => {
    const facts = [say('pi_1', { state: 'processing', amount: 1000n, orderId: 'ord_1' }), say('pi_1', { state: 'authorized' })]
    expect(orderOf(facts).payments[0]?.status).toBe('authorized')
  })

  it('is that of its charge while the payment was only created', () => {
    const facts = [
      say('pi_1', { state: 'created', at: 5, amount: 1000n, orderId: 'ord_1' }),
      say('ch_1', { with: ['pi_1'], state: 'failed' }),
    ]
    expect(orderOf(facts).status).toBe('failed')
  })

  it('is not that of its charge once the payment said more', () => {
    const facts = [
      say('pi_1', { state: 'requires_action', amount: 1000n, orderId: 'ord_1' }),
      say('ch_1', { with: ['pi_1'], state: 'failed', at: 5 }),
    ]
    expect(orderOf(facts).status).toBe('processing')
  })

  it('is succeeded when only its checkout was', () => {
    expect(orderOf([say('pi_1', { state: 'failed', at: 9 }), paid('cs_1', { with: ['pi_1'] })]).payments).toMatchObject([
      { payment_id: 'pi_1', status: 'succeeded', received_minor: 1000 },
    ])
  })
})

describe('what a payment received in the model', () => {
  it('is the sum over its charges when the payment itself received nothing', () => {
    const facts = [say('pi_1', { orderId: 'ord_1', receivedMinor: 0n }), charge('ch_1', 'pi_1', 400n), charge('ch_2', 'pi_1', 600n)]
    expect(orderOf(facts).paid_minor).toBe(1000)
  })

  it('is what the invoice settled when no charge received anything', () => {
    expect(orderOf([say('pi_1', { amount: 1000n, orderId: 'ord_1', settledMinor: 700n }), charge('ch_1', 'pi_1')]).paid_minor).toBe(700)
  })
})

describe('invoices in the model', () => {
  const invoice = (saying = {}) => paid('in_1', { with: ['pi_1'], ...saying })

  it('lend their state and money to the one payment of which nothing else is known', () => {
    expect(orderOf([invoice()]).payments).toMatchObject([{ payment_id: 'pi_1', status: 'succeeded', received_minor: 1000 }])
  })

  it('lend nothing when they were paid out of band, and are a payment themselves', () => {
    const order = orderOf([invoice({ isOutOfBand: true }), say('pi_1', { state: 'created', amount: 1000n })])
    expect(order.payments.map(({ payment_id, received_minor }) => [payment_id, received_minor])).toEqual([
      ['in_1', 1000],
      ['pi_1', 0],
    ])
    expect(order.flags).toEqual(['out_of_band', 'unregistered'])
  })

  it('are no payment where the tied ones received it all', () => {
    const order = orderOf([invoice(), paid('pi_1', { receivedMinor: 600n }), paid('pi_2', { with: ['in_1'], receivedMinor: 400n })])
    expect(order.payments.map(({ payment_id }) => payment_id)).toEqual(['pi_1', 'pi_2'])
  })

  it('are a payment of what exceeds the tied ones', () => {
    const order = orderOf([invoice(), paid('pi_1', { receivedMinor: 600n })])
    expect(order.payments).toMatchObject([{ payment_id: 'in_1', received_minor: 400 }, { payment_id: 'pi_1' }])
    expect(order).toMatchObject({ paid_minor: 1000, flags: ['out_of_band', 'overpaid', 'unregistered'] })
  })

  it('stand for themselves with no tied payment, unflagged', () => {
    expect(orderOf([paid('in_1')])).toMatchObject({ status: 'paid', flags: ['unregistered'], payments: [{ payment_id: 'in_1' }] })
  })
})

describe('refunds in the model', () => {
  it('are the larger of those known by id and those heard of in sum', () => {
    const facts = [paid(), charge('ch_1', 'pi_1', 1000n), refund('re_1', 'pending', 300n)]
    expect(orderOf(facts).refunded_minor).toBe(300)
    expect(orderOf([...facts, say('ch_1', { refundedMinor: 500n, at: 20 })]).refunded_minor).toBe(500)
  })

  it('that failed later are taken off the sum heard before', () => {
    const facts = [paid(), charge('ch_1', 'pi_1', 1000n), say('ch_1', { refundedMinor: 500n, at: 20 }), refund('re_1', 'failed', 300n, 30)]
    expect(orderOf(facts).refunded_minor).toBe(200)
  })

  it('that failed before are not taken off again', () => {
    const facts = [paid(), charge('ch_1', 'pi_1', 1000n), say('ch_1', { refundedMinor: 500n, at: 40 }), refund('re_1', 'failed', 300n, 30)]
    expect(orderOf(facts).refunded_minor).toBe(500)
  })

  it('leave out the oldest of the amount that was released', () => {
    const released = say('ch_1', { with: ['pi_1'], releasedMinor: 300n })
    const facts = [paid(), released, refund('re_1', 'succeeded', 300n), refund('re_2', 'succeeded', 300n)]
    expect(orderOf(facts)).toMatchObject({ refunded_minor: 300, status: 'partially_refunded' })
  })

  it('are never more than the payment received', () => {
    expect(orderOf([paid(), charge('ch_1', 'pi_1'), refund('re_1', 'succeeded', 1500n)])).toMatchObject({
      refunded_minor: 1000,
      status: 'refunded',
    })
  })

  it('of an unknown charge count with their payment', () => {
    expect(orderOf([paid(), say('re_1', { with: ['pi_1'], state: 'succeeded', amount: 100n })]).refunded_minor).toBe(100)
  })
})

describe('disputes in the model', () => {
  const dispute = (state: 'inquiry' | 'open' | 'won' | 'lost', at = 10, amount = 1000n) =>
    say('dp_1', { with: ['ch_1', 'pi_1'], state, at, amount })
  const disputed = [paid(), charge('ch_1', 'pi_1', 1000n)]

  it.each([
    ['an open one holds the order', [dispute('open')], { status: 'disputed', disputed_minor: 1000 }],
    ['an end beats a later open state', [dispute('won', 10), dispute('open', 20)], { status: 'paid', disputed_minor: 0 }],
    ['the later end wins', [dispute('lost', 10), dispute('won', 20)], { status: 'paid', charged_back_minor: 0 }],
    ['lost wins in one second', [dispute('lost'), dispute('won')], { status: 'charged_back', charged_back_minor: 1000 }],
    ['an inquiry is only flagged', [dispute('inquiry')], { status: 'paid', flags: ['inquiry', 'unregistered'] }],
  ])('%s', (_, facts, expected) => {
    expect(orderOf([...disputed, ...facts])).toMatchObject(expected)
  })

  it('take at most what refunds left', () => {
    const order = orderOf([...disputed, refund('re_1', 'succeeded', 400n), dispute('lost')])
    expect(order).toMatchObject({ refunded_minor: 400, charged_back_minor: 600, payments: [{ status: 'charged_back' }] })
  })
})

describe('claims in the model', () => {
  it('are the payment’s own before those of its checkout, and both orders are flagged', () => {
    const facts = [paid('pi_1', { orderId: 'ord_2' }), say('cs_1', { with: ['pi_1'], orderId: 'ord_1' })]
    expect(orderOf(facts, {}, 'ord_2')).toMatchObject({ paid_minor: 1000, flags: ['claim_conflict', 'unregistered'] })
    expect(orderOf(facts)).toMatchObject({ status: 'pending', flags: ['claim_conflict', 'unregistered'], payments: [] })
  })

  it('yield to the latest link on anything that belongs to the payment', () => {
    const links = [linked('ch_1', 'ord_3', 9), linked('pi_1', 'ord_2', 5)]
    const { orders } = expectOrders(world([paid(), charge('ch_1', 'pi_1')], { links }))
    expect(orders.map(({ order_id, paid_minor }) => [order_id, paid_minor])).toEqual([
      ['ord_1', 0],
      ['ord_2', 0],
      ['ord_3', 1000],
    ])
  })

  it('of an invoice hold for each payment tied to it', () => {
    const unclaimed = say('pi_1', { state: 'succeeded', amount: 1000n, receivedMinor: 1000n })
    expect(orderOf([unclaimed, say('in_1', { with: ['pi_1'], orderId: 'ord_1' })]).paid_minor).toBe(1000)
    expect(expectOrders(world([unclaimed])).unmatched).toEqual(['pi_1'])
  })
})

describe('which payments count in the model', () => {
  it.each([
    ['account_mismatch', [paid('pi_1', { account: 'acct_2' })], { registrations: [registered(1000n, { account: 'acct_1' })] }],
    ['mode_mismatch', [paid('pi_1', { livemode: false }), say('pi_2', { amount: 1n, orderId: 'ord_1' })], {}],
    ['currency_mismatch', [paid('pi_1', { currency: 'EUR' })], { registrations: [registered(1000n)] }],
  ])('leaves out a payment for %s', (flag, facts, others) => {
    const order = orderOf(facts, others)
    expect(order.flags).toContain(flag)
    expect(order).toMatchObject({ paid_minor: 0, payments: expect.arrayContaining([expect.objectContaining({ counts: false })]) })
  })

  it('takes the currency of the earliest success', () => {
    const facts = [paid('pi_1', { currency: 'EUR', at: 9 }), paid('pi_2', { at: 5 }), say('pi_3', { amount: 1n, currency: 'JPY' })]
    expect(orderOf(facts).currency).toBe('USD')
  })
})

describe('the status of an order in the model', () => {
  it.each([
    ['paid', [paid()], 1000n, []],
    ['paid', [paid()], 900n, ['amount_mismatch', 'overpaid']],
    ['partially_paid', [paid()], 1100n, ['amount_mismatch']],
    ['paid', [paid('pi_1', { receivedMinor: 0n })], 0n, []],
    ['pending', [], 1000n, []],
    ['canceled', [say('pi_1', { state: 'canceled', at: 3, amount: 1n, orderId: 'ord_1' })], 1000n, []],
  ])('is %s (case %#)', (status, facts, expected, flags) => {
    expect(orderOf(facts, { registrations: [registered(expected)] })).toMatchObject({ status, flags })
  })

  it('is named by the latest of payments that all ended', () => {
    const ended = (id: string, state: 'failed' | 'canceled', at: number) => say(id, { state, at, amount: 1n, orderId: 'ord_1' })
    expect(orderOf([ended('pi_1', 'canceled', 5), ended('pi_2', 'failed', 4)]).status).toBe('canceled')
    expect(orderOf([ended('pi_1', 'canceled', 5), ended('pi_2', 'failed', 5)]).status).toBe('failed')
  })
})

describe('the generator of stories', () => {
  const stories = sampleStories(300, 20260101)

  it('has every type of event often enough', () => {
    const counts = countTypes(stories)
    expect(Object.keys(counts)).toHaveLength(EVENT_TYPES.length)
    expect(Object.entries(counts).filter(([, count]) => count < 10)).toEqual([])
  })

  it('tells events in the order of happening, with ids that no other story has', () => {
    const ids = stories.flatMap(({ events }) => [...new Set(events.map(({ id }) => id))])
    expect(new Set(ids).size).toBe(ids.length)
    for (const { events } of stories) {
      const times = events.map(({ created }) => created)
      expect(times).toEqual(times.toSorted((left, right) => left - right))
    }
  })

  it('makes of one event that comes twice two shapes', () => {
    const twins = stories.flatMap(({ events }) =>
      events.flatMap((event) => [events.filter(({ id }) => id === event.id)]).filter(({ length }) => length > 1),
    )
    expect(twins.length).toBeGreaterThan(50)
    for (const [first, second] of twins) expect(first?.api_version).not.toBe(second?.api_version)
  })

  it('is the same for the same seed', () => {
    expect(sampleStories(5, 7)).toEqual(sampleStories(5, 7))
  })
})
