import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { decideAccepting } from '../../src/events/backpressure.ts'

const depth = fc.nat({ max: 300 })
const maxDepth = fc.integer({ min: 1, max: 200 })

/** What it decided for each depth, one after the other, beginning with accepting. */
function decideAll(depths: number[], max: number): boolean[] {
  let accepting = true
  return depths.map((next) => {
    accepting = decideAccepting(accepting, next, max)
    return accepting
  })
}

describe('decideAccepting', () => {
  it.each([
    [true, 100, true],
    [true, 101, false],
    [false, 100, false],
    [false, 91, false],
    [false, 90, true],
    [true, 91, true],
    [false, 0, true],
  ])('of a maximum of 100, accepting %s at a depth of %i: %s', (accepting, depth, expected) => {
    expect(decideAccepting(accepting, depth, 100)).toBe(expected)
  })

  it('never accepts above the maximum, and always at 90 % of it or below', () => {
    fc.assert(
      fc.property(fc.boolean(), depth, maxDepth, (accepting, current, max) => {
        const next = decideAccepting(accepting, current, max)
        if (current > max) expect(next).toBe(false)
        if (current <= max * 0.9) expect(next).toBe(true)
      }),
    )
  })

  it('stays as it is between 90 % and the maximum', () => {
    fc.assert(
      fc.property(fc.boolean(), depth, maxDepth, (accepting, current, max) => {
        fc.pre(current > max * 0.9 && current <= max)
        expect(decideAccepting(accepting, current, max)).toBe(accepting)
      }),
    )
  })

  it('changes only after the depth has crossed from one of the two limits to the other', () => {
    fc.assert(
      fc.property(fc.array(depth, { maxLength: 50 }), maxDepth, (depths, max) => {
        const decisions = decideAll(depths, max)
        for (const [index, accepting] of decisions.entries()) {
          const crossed = depths.slice(0, index + 1).findLast((value) => value > max || value <= max * 0.9)
          expect(accepting).toBe(crossed === undefined || crossed <= max)
        }
      }),
    )
  })

  it('decides the same again for the same depth', () => {
    fc.assert(
      fc.property(fc.boolean(), depth, maxDepth, (accepting, current, max) => {
        const once = decideAccepting(accepting, current, max)
        expect(decideAccepting(once, current, max)).toBe(once)
      }),
    )
  })

  it('opens again for every maximum once nothing waits', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 100_000_000 }), (max) => expect(decideAccepting(false, 0, max)).toBe(true)))
  })
})
