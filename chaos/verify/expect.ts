import { createHash } from 'node:crypto'
import { expectOrders } from '../../test/helpers/stories/model/expect-orders.ts'
import type { ExpectedOrder } from '../../test/helpers/stories/model/world.ts'
import { factsOfEvents } from '../../test/helpers/stories/story-facts.ts'
import { bodyOf, tellStories } from '../load/deliveries.ts'
import type { Answered } from '../load/load.ts'
import type { SentEvent } from './judge-events.ts'

export type Expected = { events: SentEvent[]; orders: ExpectedOrder[]; unmatched: string[] }

/** Tells the stories anew, and asks the model how each has to end. */
export function expectBatch(number: number, seed: number, answered: Map<string, Answered>): Expected {
  const stories = tellStories(number, seed)
  const ends = stories.map(({ events }) => expectOrders({ facts: factsOfEvents(events).flat(), links: [], registrations: [] }))
  const byId = Map.groupBy(
    stories.flatMap(({ events }) => events),
    ({ id }) => id,
  )
  return {
    events: [...byId].map(([eventId, shapes]) => {
      const { accepted, messageIds } = answered.get(eventId) ?? { accepted: 0, messageIds: [] }
      return { eventId, digests: shapes.map((event) => digestOf(bodyOf(event))), accepted, messageIds: [...messageIds] }
    }),
    orders: ends.flatMap(({ orders }) => orders),
    unmatched: ends.flatMap(({ unmatched }) => unmatched),
  }
}

function digestOf(body: string): string {
  return createHash('sha256').update(body).digest('hex')
}
