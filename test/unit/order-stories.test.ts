import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { anyPlan } from '../helpers/stories/any-plan.ts'
import { applyStory } from '../helpers/stories/apply-story.ts'
import { expectOrders } from '../helpers/stories/model/expect-orders.ts'
import type { Link } from '../helpers/stories/model/world.ts'
import type { Story } from '../helpers/stories/story.ts'
import { factsOfEvents } from '../helpers/stories/story-facts.ts'
import { tellStory } from '../helpers/stories/tell-story.ts'

// The whole count was run with STORIES=10000.
const RUNS = Number(process.env.STORIES ?? 300)

/** A story as it happened, and as it arrived: in any order, some of it twice. */
const anyArrival = anyPlan.chain((plan) => {
  const story = tellStory(plan, 's')
  const told = factsOfEvents(story.events)
  const places = fc.array(fc.nat(Math.max(0, told.length - 1)), { maxLength: 5 })
  const order = fc.shuffledSubarray([...told.keys()], { minLength: told.length, maxLength: told.length })
  return fc.tuple(order, places).map(([arrived, again]) => ({
    story,
    told,
    arrived: told.length === 0 ? [] : [...arrived, ...again].map((index) => told[index] ?? []),
  }))
})

function linksOf(story: Story, named: Set<string>): Link[] {
  return story.links
    .map(({ object, orderId, linkId }, index) => ({ object, orderId, linkId, at: new Date(Date.UTC(2026, 5, 1, 0, 0, index)) }))
    .filter(({ object }) => named.has(`${object.kind} ${object.id}`))
}

describe('a story', () => {
  it('ends as the rules say, in whatever order its events arrive and however often', () => {
    fc.assert(
      fc.property(anyArrival, ({ story, told, arrived }) => {
        const facts = told.flat()
        const named = new Set(facts.flatMap(({ object, relatesTo }) => [object, ...relatesTo].map(({ kind, id }) => `${kind} ${id}`)))
        const links = linksOf(story, named)
        const { registrations } = story
        const expected = expectOrders({ facts, links, registrations })
        const orderIds = [...new Set([...story.orderIds, ...facts.flatMap(({ orderId }) => orderId ?? [])])]
        const isExpected = new Set(expected.orders.map((order) => order.order_id))

        for (const batches of [told, arrived]) {
          const outcome = applyStory({ batches, links, registrations, orderIds })
          expect({ ...outcome, orders: outcome.orders.filter((order) => isExpected.has(order.order_id)) }).toEqual(expected)
        }
      }),
      { numRuns: RUNS },
    )
  })
})
