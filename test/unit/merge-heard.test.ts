import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { type Heard, type Observation, type Stamp, toHeard } from '../../src/orders/heard.ts'
import { mergeHeard } from '../../src/orders/merge-heard.ts'
import { at, buildFact, type FactOverrides, hearFacts } from '../helpers/build-fact.ts'

/** What is kept of two facts about one object, which must not depend on which came first. */
function mergeBothWays(key: string, first: FactOverrides, second: FactOverrides): Heard {
  const [left, right] = [buildFact(key, { eventId: 'evt_a', ...first }), buildFact(key, { eventId: 'evt_b', ...second })]
  const merged = mergeHeard(toHeard(left), toHeard(right))
  expect(mergeHeard(toHeard(right), toHeard(left))).toEqual(merged)
  return merged
}

describe('what was heard of one object', () => {
  const time = fc.integer({ min: 0, max: 3 }).map((second) => at(second).toISOString())
  const amount = fc.constantFrom(0, 500, 1000, 2000)
  const event = fc.constantFrom('evt_a', 'evt_b')
  const stamp = (...parts: fc.Arbitrary<string | number>[]) => fc.tuple(...parts) as fc.Arbitrary<Stamp>
  // Of two observations neither covers the other: the later is the smaller.
  const observations = fc
    .tuple(fc.uniqueArray(time, { maxLength: 3 }), fc.uniqueArray(amount, { minLength: 3, maxLength: 3 }))
    .map(([times, amounts]) => {
      const falling = amounts.sort((left, right) => right - left)
      return times.sort().map((at, index): Observation => [falling[index] as number, at])
    })
    .filter((some) => some.length > 0)
  const heard = fc.record(
    {
      state: stamp(fc.constantFrom(0, 1), time, fc.constantFrom(0, 4), event, fc.constantFrom('created', 'failed')),
      succeededAt: time,
      firstAt: time,
      money: stamp(time, event, fc.constantFrom('EUR', 'USD'), amount),
      origin: stamp(time, event, fc.constantFrom('', 'acct_1'), fc.constantFrom(-1, 0, 1)),
      claim: stamp(time, event, fc.constantFrom('ord_1', 'ord_2')),
      link: stamp(time, fc.constantFrom('link_1', 'link_2'), fc.constantFrom('ord_1', 'ord_2')),
      startedAt: time,
      endedAt: time,
      received: amount,
      settled: amount,
      released: amount,
      isOutOfBand: fc.constant<true>(true),
      refundedSeen: observations,
      related: fc.uniqueArray(fc.constantFrom('charge/ch_1', 'charge/ch_2', 'payment/pi_1'), { minLength: 1 }).map((keys) => keys.sort()),
    },
    { requiredKeys: [] },
  )

  it('is the same whichever of two came first', () => {
    fc.assert(
      fc.property(heard, heard, (left, right) => expect(mergeHeard(left, right)).toEqual(mergeHeard(right, left))),
      { numRuns: 1000 },
    )
  })

  it('is the same however three are put together', () => {
    fc.assert(
      fc.property(heard, heard, heard, (first, second, third) => {
        expect(mergeHeard(mergeHeard(first, second), third)).toEqual(mergeHeard(first, mergeHeard(second, third)))
      }),
      { numRuns: 1000 },
    )
  })

  it('does not change when it is heard again, and is then the very same value', () => {
    fc.assert(
      fc.property(heard, heard, (left, right) => {
        const merged = mergeHeard(left, right)
        expect(mergeHeard(merged, left)).toBe(merged)
        expect(mergeHeard(merged, right)).toBe(merged)
        expect(mergeHeard(left, left)).toBe(left)
      }),
      { numRuns: 1000 },
    )
  })

  it('is what it was when nothing is heard beside it, and survives being stored as JSON', () => {
    fc.assert(
      fc.property(heard, heard, (left, right) => {
        expect(mergeHeard(left, {})).toBe(left)
        expect(mergeHeard({}, left)).toEqual(left)
        expect(mergeHeard(JSON.parse(JSON.stringify(left)), right)).toEqual(mergeHeard(left, right))
      }),
      { numRuns: 500 },
    )
  })
})

describe('what else is kept', () => {
  it('is the latest currency with its amount, not the largest', () => {
    const heard = mergeBothWays('payment/pi_1', { amountMinor: 900n, occurredAt: at(2) }, { currency: 'EUR', occurredAt: at(1) })

    expect(heard.money?.slice(2)).toEqual(['USD', 900])
  })

  it('is the latest order that the object names', () => {
    const heard = mergeBothWays('payment/pi_1', { orderId: 'ord_1', occurredAt: at(2) }, { orderId: 'ord_2', occurredAt: at(1) })

    expect(heard.claim?.[2]).toBe('ord_1')
  })

  it('is the latest account with its mode', () => {
    const heard = mergeBothWays(
      'payment/pi_1',
      { account: 'acct_1', livemode: true, occurredAt: at(2) },
      { account: null, occurredAt: at(1) },
    )

    expect(heard.origin?.slice(2)).toEqual(['acct_1', 1])
  })

  it('is the first time that a refund was made, and that it was said to have ended', () => {
    const heard = mergeBothWays(
      'refund/re_1',
      { state: 'failed', occurredAt: at(5), startedAt: at(2) },
      { state: 'canceled', occurredAt: at(4), startedAt: at(1) },
    )

    expect(heard).toMatchObject({ startedAt: at(1).toISOString(), endedAt: at(4).toISOString() })
  })

  it('is the most that was received, settled and released', () => {
    const heard = mergeBothWays(
      'charge/ch_1',
      { receivedMinor: 2n, settledMinor: 1n, releasedMinor: 3n },
      { receivedMinor: 1n, settledMinor: 2n, releasedMinor: 0n },
    )

    expect(heard).toMatchObject({ received: 2, settled: 2, released: 3 })
  })

  it('is every name, each once and sorted', () => {
    const heard = mergeBothWays('invoice/in_1', { names: ['payment/pi_2', 'charge/ch_1'] }, { names: ['payment/pi_1', 'payment/pi_2'] })

    expect(heard.related).toEqual(['charge/ch_1', 'payment/pi_1', 'payment/pi_2'])
  })
})

describe('the sums that went back of a charge', () => {
  const seen = (...observations: [bigint, number][]) => {
    const facts = observations.map(([refundedMinor, second]) => buildFact('charge/ch_1', { refundedMinor, occurredAt: at(second) }))
    const [forwards, backwards] = [facts, facts.toReversed()].map((some) => hearFacts(some)[0]?.heard.refundedSeen)
    expect(backwards).toEqual(forwards)
    return forwards?.map(([amount, time]) => [amount, new Date(time).getUTCSeconds()])
  }

  it.each([
    [
      'the larger when it is the later',
      [
        [500n, 1],
        [800n, 2],
      ],
      [[800, 2]],
    ],
    [
      'both when the later is the smaller',
      [
        [800n, 1],
        [500n, 2],
      ],
      [
        [800, 1],
        [500, 2],
      ],
    ],
    [
      'the larger at one time',
      [
        [500n, 1],
        [800n, 1],
      ],
      [[800, 1]],
    ],
    [
      'the later of one amount',
      [
        [500n, 1],
        [500n, 2],
      ],
      [[500, 2]],
    ],
    [
      'what no other covers',
      [
        [900n, 1],
        [300n, 3],
        [700n, 2],
        [200n, 2],
        [100n, 4],
      ],
      [
        [900, 1],
        [700, 2],
        [300, 3],
        [100, 4],
      ],
    ],
    [
      'one when it covers all',
      [
        [900n, 1],
        [700n, 2],
        [300n, 3],
        [900n, 3],
      ],
      [[900, 3]],
    ],
  ] as [string, [bigint, number][], [number, number][]][])('are kept as %s', (_, observations, kept) => {
    expect(seen(...observations)).toEqual(kept)
  })
})
