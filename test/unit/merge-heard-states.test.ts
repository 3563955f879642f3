import { describe, expect, it } from '@jest/globals'
import type { DisputeState, RefundState } from '../../src/events/payment-fact.ts'
import { type Heard, toHeard } from '../../src/orders/heard.ts'
import { mergeHeard } from '../../src/orders/merge-heard.ts'
import { at, buildFact, type FactOverrides } from '../helpers/build-fact.ts'

/** What is kept of two facts about one object, which must not depend on which came first. */
function mergeBothWays(key: string, first: FactOverrides, second: FactOverrides): Heard {
  const [left, right] = [buildFact(key, { eventId: 'evt_a', ...first }), buildFact(key, { eventId: 'evt_b', ...second })]
  const merged = mergeHeard(toHeard(left), toHeard(right))
  expect(mergeHeard(toHeard(right), toHeard(left))).toEqual(merged)
  return merged
}

describe('the state that is kept', () => {
  it.each([
    ['of a payment the later', 'failed', 1, 'processing', 0],
    ['of a payment anything before created', 'requires_action', 0, 'created', 9],
    ['of a payment at one time requires_action before created', 'requires_action', 0, 'created', 0],
    ['of a payment at one time processing before requires_action', 'processing', 0, 'requires_action', 0],
    ['of a payment at one time authorized before processing', 'authorized', 0, 'processing', 0],
    ['of a payment at one time failed before authorized', 'failed', 0, 'authorized', 0],
    ['of a payment at one time canceled before failed', 'canceled', 0, 'failed', 0],
  ] as const)('is %s', (_, winner, later, loser, earlier) => {
    const { state } = mergeBothWays('payment/pi_1', { state: winner, occurredAt: at(later) }, { state: loser, occurredAt: at(earlier) })

    expect(state?.[4]).toBe(winner)
  })

  it.each([
    ['the later while neither is final', 'pending', 2, 'succeeded', 1],
    ['failed before a later success', 'failed', 1, 'succeeded', 2],
    ['canceled before a later pending', 'canceled', 1, 'pending', 2],
    ['the later of failed and canceled', 'canceled', 2, 'failed', 1],
    ['requires_action before pending at one time', 'requires_action', 0, 'pending', 0],
    ['succeeded before requires_action at one time', 'succeeded', 0, 'requires_action', 0],
    ['canceled before succeeded at one time', 'canceled', 0, 'succeeded', 0],
    ['failed before canceled at one time', 'failed', 0, 'canceled', 0],
  ] as [string, RefundState, number, RefundState, number][])('of a refund is %s', (_, winner, when, loser, otherwise) => {
    const { state } = mergeBothWays('refund/re_1', { state: winner, occurredAt: at(when) }, { state: loser, occurredAt: at(otherwise) })

    expect(state?.[4]).toBe(winner)
  })

  it.each([
    ['a closed inquiry before a later inquiry', 'inquiry_closed', 1, 'inquiry', 2],
    ['open before a later closed inquiry', 'open', 1, 'inquiry_closed', 2],
    ['an end before what is open later', 'won', 1, 'open', 2],
    ['the later of two ends', 'won', 2, 'lost', 1],
    ['lost before refunded at one time', 'lost', 0, 'refunded', 0],
    ['refunded before prevented at one time', 'refunded', 0, 'prevented', 0],
    ['prevented before won at one time', 'prevented', 0, 'won', 0],
  ] as [string, DisputeState, number, DisputeState, number][])('of a dispute is %s', (_, winner, when, loser, otherwise) => {
    const { state } = mergeBothWays('dispute/du_1', { state: winner, occurredAt: at(when) }, { state: loser, occurredAt: at(otherwise) })

    expect(state?.[4]).toBe(winner)
  })

  it('is beside a success, which has its earliest time', () => {
    const failed = mergeBothWays('payment/pi_1', { state: 'succeeded', occurredAt: at(1) }, { state: 'failed', occurredAt: at(2) })
    const twice = mergeBothWays('payment/pi_1', { state: 'succeeded', occurredAt: at(5) }, { state: 'succeeded', occurredAt: at(3) })

    expect(failed).toMatchObject({ succeededAt: at(1).toISOString(), state: [1, at(2).toISOString(), 4, 'evt_b', 'failed'] })
    expect(twice).toMatchObject({ succeededAt: at(3).toISOString(), firstAt: at(3).toISOString() })
  })

  it('is that of the greater event id when all else is equal', () => {
    const { state } = mergeBothWays('payment/pi_1', { state: 'failed' }, { state: 'failed' })

    expect(state?.[3]).toBe('evt_b')
  })
})
