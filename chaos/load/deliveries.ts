import fc from 'fast-check'
import { shuffle } from '../../test/helpers/random.ts'
import { anyPlan } from '../../test/helpers/stories/any-plan.ts'
import type { Story, StripeEvent } from '../../test/helpers/stories/story.ts'
import { tellStory } from '../../test/helpers/stories/tell-story.ts'
import { forge } from './forge.ts'

export type Delivery = {
  eventId: string
  body: string
  /** Makes the header at the moment of sending, for a signature grows old. */
  sign(): string | undefined
  isForged: boolean
}
export type Batch = { stories: Story[]; deliveries: Delivery[] }

const STORIES = 20
/** So many payments of one batch name the same two orders, so that both workers want them at once. */
const BUSY_STORIES = 5
const TWINS = 0.1
const LATER = 0.1
const FORGERIES = 0.08

/** The same number and seed are the same stories. No prefix is the beginning of another. */
export function tellStories(number: number, seed: number): Story[] {
  const plans = fc.sample(anyPlan, { numRuns: STORIES, seed: seed + number })
  const [first] = plans
  const busy = first ? [{ ...first, payments: plans.slice(0, BUSY_STORIES).flatMap(({ payments }) => payments) }] : []
  return [...busy, ...plans.slice(BUSY_STORIES)].map((plan, index) => tellStory(plan, `${number}x${index}x`))
}

type BatchInput = { number: number; seed: number; random: () => number; before: Delivery[]; sign(body: string): string }

/** Events of stories in any order: some twice at once, some of the batch before again, and forgeries among them. */
export function makeBatch({ number, seed, random, before, sign }: BatchInput): Batch {
  const stories = tellStories(number, seed)
  const genuine = stories.flatMap(({ events }) => events).map((event) => toDelivery(event, sign))
  const forgeries = genuine.filter(() => random() < FORGERIES).map((delivery) => forge(delivery, random))
  const again = before.filter(() => random() < LATER)
  const deliveries = shuffle([...genuine, ...again, ...forgeries], random)
  return { stories, deliveries: deliveries.flatMap((one) => (!one.isForged && random() < TWINS ? [one, one] : [one])) }
}

function toDelivery(event: StripeEvent, sign: (body: string) => string): Delivery {
  const body = bodyOf(event)
  return { eventId: event.id, body, sign: () => sign(body), isForged: false }
}

export function bodyOf(event: StripeEvent): string {
  return JSON.stringify(event)
}
