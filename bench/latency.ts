import { Agent, request } from 'node:http'
import type { BenchDatabase } from './database.ts'
import { makeDeliveries, type SignedDelivery, WEBHOOK_PATH } from './deliveries.ts'
import type { Bench } from './main.ts'
import { type Percentiles, percentiles } from './statistics.ts'
import { startTarget } from './target.ts'
import { gatewayTarget } from './targets/gateway.ts'

export type LatencyOptions = { eventsPerSecond: number; seconds: number; warmupSeconds: number; connections: number }
export type LatencyResult = {
  eventsPerSecond: number
  events: number
  /** From sending to the answer. */
  answeredMs: Percentiles
  /** From sending to `processed_at`, which the worker writes shortly before it commits. */
  processedMs: Percentiles
  /** From sending to the commit that makes the change of the order visible. */
  committedMs: Percentiles
}

const APPLY_LIMIT_MS = 30_000
const TICK_MS = 5

/** Sends at a fixed rate, whatever the answers do (an open loop), and asks the database when each event was applied. */
export async function measureLatency(bench: Bench, options: LatencyOptions): Promise<LatencyResult> {
  const database = await bench.server.createDatabase()
  const warmupEvents = options.warmupSeconds * options.eventsPerSecond
  const deliveries = makeDeliveries(warmupEvents + options.seconds * options.eventsPerSecond, bench.secret)
  bench.progress.begin(`latency at ${options.eventsPerSecond} events/s`)
  const gateway = await startTarget(gatewayTarget(bench.secret), { ...bench, databaseUrl: database.url })
  const sent = await sendAtRate({ url: gateway.url, deliveries, options, onAnswer: () => bench.progress.advance(1) })
  await waitUntilApplied(database)
  const applied = await readMoments(database)
  await gateway.stop()
  await database.drop()

  const measured = deliveries.slice(warmupEvents).map(({ eventId }) => join(eventId, sent, applied))
  const result = {
    eventsPerSecond: options.eventsPerSecond,
    events: measured.length,
    answeredMs: percentiles(measured.map(({ sentAt, answeredAt }) => answeredAt - sentAt)),
    processedMs: percentiles(measured.map(({ sentAt, processedAt }) => processedAt - sentAt)),
    committedMs: percentiles(measured.map(({ sentAt, committedAt }) => committedAt - sentAt)),
  }
  bench.progress.note(`delivery to applied at ${options.eventsPerSecond} events/s: p50 ${result.committedMs.p50.toFixed(1)} ms`)
  return result
}

type Sent = Map<string, { sentAt: number; answeredAt: number }>
type Applied = Map<string, { processedAt: number; committedAt: number }>

function join(eventId: string, sent: Sent, applied: Applied) {
  const before = sent.get(eventId)
  const after = applied.get(eventId)
  if (!before || !after) throw new Error(`${eventId} was not applied`)
  return { ...before, ...after }
}

type RateInput = { url: string; deliveries: SignedDelivery[]; options: LatencyOptions; onAnswer(): void }

async function sendAtRate({ url, deliveries, options, onAnswer }: RateInput): Promise<Sent> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections })
  const sent: Sent = new Map()
  const answers: Promise<void>[] = []
  const startedAt = performance.now()
  while (answers.length < deliveries.length) {
    const due = Math.min(deliveries.length, Math.ceil(((performance.now() - startedAt) / 1000) * options.eventsPerSecond))
    for (const delivery of deliveries.slice(answers.length, due)) {
      const sentAt = now()
      const answer = send(url, delivery, agent).then(() => {
        sent.set(delivery.eventId, { sentAt, answeredAt: now() })
        onAnswer()
      })
      answers.push(answer)
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
  await Promise.all(answers)
  agent.destroy()
  return sent
}

/** Milliseconds since 1970 with their fractions, to be compared with the database's. */
function now(): number {
  return performance.timeOrigin + performance.now()
}

function send(url: string, { headers, body }: SignedDelivery, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { ...headers, 'Content-Length': body.length } }
    const outgoing = request(`${url}${WEBHOOK_PATH}`, options, (response) => {
      const { statusCode = 0 } = response
      response.resume().once('end', () => (statusCode >= 200 && statusCode < 300 ? resolve() : reject(new Error(`Answered ${statusCode}`))))
    })
    outgoing.once('error', reject).end(body)
  })
}

async function waitUntilApplied(database: BenchDatabase): Promise<void> {
  for (const deadline = performance.now() + APPLY_LIMIT_MS; performance.now() < deadline; ) {
    const [row] = await database.query<{ left: string }>(`select count(*) as left from sluice.webhook_events where status <> 'processed'`)
    if (Number(row?.left) === 0) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`Not every event was applied within ${APPLY_LIMIT_MS / 1000} s of the last one`)
}

async function readMoments(database: BenchDatabase): Promise<Applied> {
  const rows = await database.query<{ event_id: string; processed: number; committed: number }>(
    `select event_id, extract(epoch from processed_at)::float8 * 1000 as processed,
       extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000 as committed
     from sluice.webhook_events`,
  )
  return new Map(rows.map((row) => [row.event_id, { processedAt: row.processed, committedAt: row.committed }]))
}
