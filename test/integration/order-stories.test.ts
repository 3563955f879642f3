import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { recordEvents } from '../../src/events/record-events.ts'
import { linkPayment } from '../../src/orders/link-payment.ts'
import { callApi, getOrder, type Json } from '../helpers/api.ts'
import { seededRandom, shuffle } from '../helpers/random.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { anyPlan } from '../helpers/stories/any-plan.ts'
import { expectOrders } from '../helpers/stories/model/expect-orders.ts'
import type { Link, Registration } from '../helpers/stories/model/world.ts'
import { pickOrder } from '../helpers/stories/pick-order.ts'
import type { Story } from '../helpers/stories/story.ts'
import { factsOfEvents } from '../helpers/stories/story-facts.ts'
import { tellStory } from '../helpers/stories/tell-story.ts'
import { toDelivery } from '../helpers/stories/to-delivery.ts'
import { waitUntil } from '../helpers/wait-until.ts'

// STORIES=2000 once before a change of the ledger; the rules themselves are held on far more in test/unit/order-stories.test.ts.
const COUNT = Number(process.env.STORIES ?? 60)
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const LIMIT_MS = 60_000 + COUNT * 300

/** No prefix is the beginning of another. */
const prefixOf = (index: number) => `s${index}x`

describe(`stories (SEED=${SEED})`, () => {
  let api: TestGateway
  const workers: TestGateway[] = []
  const random = seededRandom(SEED)
  const stories = fc.sample(anyPlan, { numRuns: COUNT, seed: SEED }).map((plan, index) => tellStory(plan, prefixOf(index)))

  beforeAll(async () => {
    api = await startTestGateway({ role: 'api' })
    for (let count = 0; count < 2; count += 1) workers.push(await startTestGateway({ role: 'worker', database: api.database }))
  })
  afterAll(async () => {
    for (const worker of workers) await worker.stop()
    await api.stop()
  })

  it(
    'end as the rules say when their events reach two workers in any order, some twice, while people register and link',
    async () => {
      const links = stories.flatMap(linksOf)
      const early = links.filter(() => random() < 0.5)
      await Promise.all([deliverShuffled(), registerAll(stories.flatMap(({ registrations }) => registrations)), linkAll(early)])
      await waitUntil('every event is processed', isQuiet, LIMIT_MS)
      const made = await linkAll(links)

      for (const story of stories) {
        const facts = factsOfEvents(story.events).flat()
        const expected = expectOrders({
          facts,
          links: made.filter(({ linkId }) => story.links.some((link) => idOf(story, link) === linkId)),
          registrations: story.registrations,
        })
        for (const order of expected.orders) expect(pickOrder(await getOrder(api.url, order.order_id))).toEqual(order)
        expect(await unmatchedOf(story)).toEqual(expected.unmatched)
      }
      expect(await rows(`select error from sluice.event_attempts where outcome <> 'succeeded'`)).toEqual([])
    },
    LIMIT_MS,
  )

  const rows = async (sql: string, values: unknown[] = []): Promise<Json[]> => (await api.context.db.pool.query(sql, values)).rows

  async function deliverShuffled(): Promise<void> {
    const events = stories.flatMap((story) => story.events)
    const repeated = events.filter(() => random() < 0.1)
    const deliveries = shuffle([...events, ...repeated].map(toDelivery), random)
    while (deliveries.length > 0) {
      const batches = [1, 2].map(() => deliveries.splice(0, 1 + Math.floor(random() * 60))).filter(({ length }) => length > 0)
      await Promise.all(batches.map((batch) => recordEvents(api.context, batch)))
    }
  }

  async function registerAll(registrations: Registration[]): Promise<void> {
    for (const { orderId, currency, expectedMinor, account } of shuffle(registrations, random)) {
      const body = JSON.stringify({ currency, expected_minor: Number(expectedMinor), account })
      expect((await callApi(api.url, `/api/orders/${orderId}`, { method: 'PUT', body })).status).toBe(201)
    }
  }

  /** Returns those whose object was known by then. */
  async function linkAll(links: Link[]): Promise<Link[]> {
    const made: Link[] = []
    for (const link of shuffle(links, random)) {
      const { object, orderId, linkId, at } = link
      const isMade = await linkPayment(api.context, {
        provider: 'stripe',
        paymentId: object.id,
        orderId,
        linkId,
        request: { actor: 'olga', reason: 'a', correlationId: 'c', at },
      })
      if (isMade) made.push(link)
    }
    return made
  }

  function linksOf(story: Story): Link[] {
    return story.links.map((link, index) => ({
      object: link.object,
      orderId: link.orderId,
      linkId: idOf(story, link),
      at: new Date(Date.UTC(2026, 5, 1, 0, 0, index)),
    }))
  }

  function idOf(story: Story, { linkId }: { linkId: string }): string {
    return `${stories.indexOf(story)} ${linkId}`
  }

  async function isQuiet(): Promise<boolean> {
    const waiting = `select 1 from sluice_queue.job where name = 'process-event' and state < 'completed' limit 1`
    return (await rows(waiting)).length === 0
  }

  async function unmatchedOf(story: Story): Promise<string[]> {
    const pattern = `%\\_${prefixOf(stories.indexOf(story))}%`
    const found = await rows('select payment_id from sluice.payments where order_id is null and payment_id like $1', [pattern])
    return found.map((row) => row.payment_id).sort()
  }
})
