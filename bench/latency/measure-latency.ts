import type { BenchDatabase } from '../database.ts'
import { makeDeliveries } from '../deliveries.ts'
import type { Bench } from '../main.ts'
import { type Percentiles, percentiles } from '../statistics.ts'
import { startTarget } from '../target.ts'
import { gatewayTarget } from '../targets/gateway.ts'
import { countWaiting, waitUntilApplied } from '../wait-until-applied.ts'
import { type RateResult, type Sent, sendAtRate } from './send-at-rate.ts'

export type LatencyOptions = { rates: number[]; seconds: number; warmupSeconds: number; connections: number }
export type LatencyResult = {
  eventsPerSecond: number
  /** What the load generator reached. */
  sentPerSecond: number
  events: number
  /** From sending to the answer. */
  answeredMs: Percentiles
  /** From sending to `processed_at`, which the worker writes shortly before it commits. */
  processedMs: Percentiles
  /** From sending to the commit that makes the change of the order visible. */
  committedMs: Percentiles
  behind: Behind
}
type Behind = {
  /** Answers that were due when the last event was sent. */
  unanswered: number
  /** Events that were answered and not applied yet when the last answer came. */
  unapplied: number
  /** Until they were. */
  catchUpMs: number
  neverApplied: number
  refused: number
}

const APPLY_LIMIT_MS = 120_000

/** Sends at each rate in turn and asks the database when each event was applied. */
export async function measureLatency(bench: Bench, options: LatencyOptions): Promise<LatencyResult[]> {
  const results: LatencyResult[] = []
  for (const eventsPerSecond of options.rates) {
    const step = `latency at ${eventsPerSecond} events/s`
    bench.progress.begin(step)
    const result = await measureAtRate(bench, eventsPerSecond, options)
    results.push(result)
    bench.progress.note(
      `${step}: applied in ${result.committedMs.p50.toFixed(1)} ms (median), ${result.behind.unapplied} behind at the end`,
    )
  }
  return results
}

async function measureAtRate(
  bench: Bench,
  eventsPerSecond: number,
  { seconds, warmupSeconds, connections }: LatencyOptions,
): Promise<LatencyResult> {
  const database = await bench.server.createDatabase()
  const deliveries = makeDeliveries((warmupSeconds + seconds) * eventsPerSecond, bench.secret)
  const gateway = await startTarget(gatewayTarget(bench.secret), { ...bench, databaseUrl: database.url })
  const onAnswer = () => bench.progress.advance(1)
  const outcome = await sendAtRate({ url: gateway.url, deliveries, eventsPerSecond, connections, onAnswer })
  const behind = await measureBehind(database, outcome)
  const applied = await readMoments(database)
  await gateway.stop()
  await database.drop()
  const measured = deliveries.slice(warmupSeconds * eventsPerSecond).map(({ eventId }) => eventId)
  const { sentPerSecond } = outcome
  return { eventsPerSecond, sentPerSecond, events: measured.length, ...summarize(measured, outcome.sent, applied), behind }
}

async function measureBehind(database: BenchDatabase, { sent, unansweredAtEnd }: RateResult): Promise<Behind> {
  const answeredAt = performance.now()
  const unapplied = await countWaiting(database)
  const isCaughtUp = unapplied === 0 || (await waitUntilApplied(database, APPLY_LIMIT_MS))
  return {
    unanswered: unansweredAtEnd,
    unapplied,
    catchUpMs: performance.now() - answeredAt,
    neverApplied: isCaughtUp ? 0 : await countWaiting(database),
    refused: [...sent.values()].filter(({ isAccepted }) => !isAccepted).length,
  }
}

type Applied = Map<string, { processedAt: number; committedAt: number }>

/** `behind` tells of the events that were refused or never applied. */
function summarize(eventIds: string[], sent: Sent, applied: Applied) {
  const accepted = eventIds.flatMap((eventId) => {
    const answer = sent.get(eventId)
    return answer?.isAccepted ? [{ eventId, ...answer }] : []
  })
  const done = accepted.flatMap(({ eventId, sentAt }) => {
    const moments = applied.get(eventId)
    return moments ? [{ sentAt, ...moments }] : []
  })
  return {
    answeredMs: percentiles(accepted.map(({ sentAt, answeredAt }) => answeredAt - sentAt)),
    processedMs: percentiles(done.map(({ sentAt, processedAt }) => processedAt - sentAt)),
    committedMs: percentiles(done.map(({ sentAt, committedAt }) => committedAt - sentAt)),
  }
}

async function readMoments(database: BenchDatabase): Promise<Applied> {
  const rows = await database.query<{ event_id: string; processed: number; committed: number }>(
    `select event_id, extract(epoch from processed_at)::float8 * 1000 as processed,
       extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000 as committed
     from sluice.webhook_events where status = 'processed'`,
  )
  return new Map(rows.map((row) => [row.event_id, { processedAt: row.processed, committedAt: row.committed }]))
}
