import type { BenchDatabase } from './database.ts'
import { makeDeliveries } from './deliveries.ts'
import { sendAll } from './load.ts'
import type { Bench } from './main.ts'
import { median } from './statistics.ts'
import { startTarget } from './target.ts'
import { gatewayTarget } from './targets/gateway.ts'
import { waitUntilApplied } from './wait-until-applied.ts'

export type DrainOptions = { rounds: number; events: number; connections: number }
export type DrainResult = { events: number; eventsPerSecond: number; rounds: number[] }

const DRAIN_LIMIT_MS = 300_000

/** How fast one worker process empties a queue that filled while no worker ran. */
export async function measureDrain(bench: Bench, options: DrainOptions): Promise<DrainResult> {
  const rounds: number[] = []
  for (let round = 1; round <= options.rounds; round += 1) {
    const step = `drain, round ${round} of ${options.rounds}`
    bench.progress.begin(step)
    const eventsPerSecond = await runRound(bench, options)
    rounds.push(eventsPerSecond)
    bench.progress.note(`${step}: ${Math.round(eventsPerSecond)} events/s`)
  }
  return { events: options.events, eventsPerSecond: median(rounds), rounds }
}

async function runRound(bench: Bench, { events, connections }: DrainOptions): Promise<number> {
  const database = await bench.server.createDatabase()
  const api = await startTarget(gatewayTarget(bench.secret, 'api'), { ...bench, databaseUrl: database.url })
  const deliveries = makeDeliveries(events, bench.secret)
  await sendAll({ url: api.url, deliveries, connections, onAnswer: () => bench.progress.advance(1) })
  await api.stop()
  const worker = await startTarget(gatewayTarget(bench.secret, 'worker'), { ...bench, databaseUrl: database.url })
  const isEmpty = await waitUntilApplied(database, DRAIN_LIMIT_MS)
  if (!isEmpty) throw new Error(`The queue was not empty after ${DRAIN_LIMIT_MS / 1000} s`)
  const seconds = await readDuration(database)
  await worker.stop()
  await database.drop()
  return events / seconds
}

/** From the first attempt to the last commit, without the start of the process. */
async function readDuration(database: BenchDatabase): Promise<number> {
  const [row] = await database.query<{ seconds: number }>(
    `select extract(epoch from
       (select max(pg_xact_commit_timestamp(xmin)) from sluice.webhook_events) - (select min(started_at) from sluice.event_attempts)
     )::float8 as seconds`,
  )
  return row?.seconds ?? Number.NaN
}
