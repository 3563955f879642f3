import autocannon from 'autocannon'
import { type SignedDelivery, WEBHOOK_PATH } from './deliveries.ts'
import { median } from './statistics.ts'

export type LoadOptions = { url: string; deliveries: SignedDelivery[]; connections: number; onAnswer(): void }
export type LoadResult = { eventsPerSecond: number; p50Ms: number; p99Ms: number }

const ANSWER_TIMEOUT_SECONDS = 30

/** The first ones are sent before the clock runs. */
export async function sendAfterWarmup({ warmupEvents, ...load }: LoadOptions & { warmupEvents: number }): Promise<LoadResult> {
  await sendAll({ ...load, deliveries: load.deliveries.slice(0, warmupEvents) })
  return sendAll({ ...load, deliveries: load.deliveries.slice(warmupEvents) })
}

export function medianLoad(rounds: LoadResult[]): LoadResult {
  const medianOf = (field: keyof LoadResult) => median(rounds.map((round) => round[field]))
  return { eventsPerSecond: medianOf('eventsPerSecond'), p50Ms: medianOf('p50Ms'), p99Ms: medianOf('p99Ms') }
}

/** Sends each delivery once, as fast as the connections get answers. Throws unless every answer is 2xx. */
export async function sendAll({ url, deliveries, onAnswer, ...load }: LoadOptions): Promise<LoadResult> {
  const connections = Math.min(load.connections, deliveries.length)
  const requests = deliveries.map(({ headers, body }) => ({ method: 'POST', path: WEBHOOK_PATH, headers, body }))
  let clients = 0
  let startedAt = 0
  let lastAnswerAt = 0
  const result = await new Promise<Parameters<Parameters<typeof autocannon>[1]>[1]>((resolve, reject) => {
    const run = autocannon(
      {
        url,
        connections,
        amount: requests.length,
        timeout: ANSWER_TIMEOUT_SECONDS,
        sampleInt: 100,
        // autocannon gives each connection its share of the amount, the first ones one more: the same as dealing out in turn.
        setupClient(client) {
          const seat = clients
          clients += 1
          client.setRequests(requests.filter((_, index) => index % connections === seat))
        },
      },
      (error, outcome) => (error ? reject(error) : resolve(outcome)),
    )
    run.on('start', () => {
      startedAt = performance.now()
    })
    run.on('response', () => {
      lastAnswerAt = performance.now()
      onAnswer()
    })
  })
  if (result['2xx'] !== requests.length || result.errors > 0) {
    const statuses = JSON.stringify(result.statusCodeStats)
    throw new Error(`${result['2xx']} of ${requests.length} deliveries got a 2xx; statuses ${statuses}, ${result.errors} errors`)
  }
  return {
    eventsPerSecond: (requests.length / (lastAnswerAt - startedAt)) * 1000,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  }
}
