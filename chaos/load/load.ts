import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { postOver, type RawAnswer } from '../../test/helpers/send-many.ts'
import { sign } from '../../test/helpers/signed-webhook.ts'
import { waitUntil } from '../../test/helpers/wait-until.ts'
import { type Delivery, makeBatch } from './deliveries.ts'
import { type Answered, createTally, type Tally } from './tally.ts'

export type Load = Tally & {
  /** How many batches of stories were sent. */
  batches(): number
  /** Waits until one more event is answered 2xx; fails when sending has failed. */
  untilAnswered(): Promise<void>
  /** Sends what is left of the batch that has begun, and waits until everything is answered. */
  stop(): Promise<void>
}

export type LoadOptions = { urls: string[]; seed: number; random: () => number; connections: number; perSecond: number; onDone(): void }

const ANSWERED_LIMIT_MS = 120_000

/**
 * Delivers as a provider does, over some connections at once: what gets no answer or 503 is sent again, to the next gateway,
 * until it is answered 2xx; a forgery until it is refused.
 */
export function startLoad({ urls, seed, random, connections, perSecond, onDone }: LoadOptions): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const tally = createTally()
  let stopped = false
  let batches = 0
  const deliveries = generate()
  const pace = createPace(perSecond)

  function* generate(): Generator<Delivery> {
    for (let before: Delivery[] = []; !stopped; batches += 1) {
      const batch = makeBatch({ number: batches, seed, random, before, sign })
      yield* batch.deliveries
      before = batch.deliveries.filter(({ isForged }) => !isForged)
    }
  }

  async function deliver(delivery: Delivery): Promise<void> {
    const start = Math.floor(random() * urls.length)
    const deadline = Date.now() + ANSWERED_LIMIT_MS
    for (let attempt = 0; ; attempt += 1) {
      const answer = await send(agent, urls[(start + attempt) % urls.length] as string, delivery)
      if (tally.count(delivery, answer) === 'done') return onDone()
      if (Date.now() > deadline) return tally.giveUp(delivery)
      await delay(50 + random() * 200)
    }
  }

  async function sendContinuously(): Promise<void> {
    for (const delivery of deliveries) {
      if (!stopped) await pace()
      await deliver(delivery)
    }
  }

  let failure: unknown
  const senders = Promise.all(Array.from({ length: connections }, sendContinuously)).catch((error: unknown) => {
    failure = error
  })
  return {
    ...tally,
    batches: () => batches,
    async untilAnswered() {
      const before = tally.counts.taken
      await waitUntil('a delivery is answered 2xx', () => failure !== undefined || tally.counts.taken > before, ANSWERED_LIMIT_MS)
      if (failure !== undefined) throw failure
    },
    async stop() {
      stopped = true
      await senders
      agent.destroy()
      if (failure !== undefined) throw failure
    },
  }
}

export type { Answered }

async function send(agent: Agent, url: string, { body, sign: makeHeader }: Delivery): Promise<RawAnswer | undefined> {
  const signature = makeHeader()
  return postOver(agent, url, body, signature === undefined ? {} : { 'Stripe-Signature': signature }).catch(() => undefined)
}

/** So many a second over all connections; what is late goes at once, but is not made up for. */
function createPace(perSecond: number): () => Promise<void> {
  let next = 0
  return async () => {
    const now = performance.now()
    next = Math.max(next, now - 100) + 1000 / perSecond
    if (next > now) await delay(next - now)
  }
}
