import type { BenchDatabase } from '../database.ts'
import { makeDeliveries } from '../deliveries.ts'
import type { IngestOptions } from '../ingest.ts'
import { type LoadResult, medianLoad, sendAfterWarmup } from '../load.ts'
import type { Bench } from '../main.ts'
import { startTarget } from '../target.ts'
import { gatewayTarget } from '../targets/gateway.ts'
import { waitUntilApplied } from '../wait-until-applied.ts'
import type { Filled } from './measure-lookups.ts'

export type IngestBeside = { median: LoadResult; rounds: LoadResult[] }

const APPLY_LIMIT_MS = 120_000

/** The load of the ingest part into each of the databases in turn; what a round adds stays there. */
export async function ingestBeside(bench: Bench, filled: Filled[], options: IngestOptions): Promise<IngestBeside[]> {
  const results = filled.map((each) => ({ ...each, rounds: [] as LoadResult[] }))
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const { database, history, rounds } of results) {
      const step = `ingest beside ${history.events} events, round ${round} of ${options.rounds}`
      bench.progress.begin(step)
      const result = await runRound(bench, database, { ...options, firstNumber: round * (options.events + options.warmupEvents) })
      rounds.push(result)
      bench.progress.note(`${step}: ${Math.round(result.eventsPerSecond)} events/s`)
    }
  }
  return results.map(({ rounds }) => ({ median: medianLoad(rounds), rounds }))
}

type RoundOptions = IngestOptions & { firstNumber: number }

async function runRound(
  bench: Bench,
  database: BenchDatabase,
  { events, warmupEvents, connections, firstNumber }: RoundOptions,
): Promise<LoadResult> {
  const deliveries = makeDeliveries(warmupEvents + events, bench.secret, firstNumber)
  const { url, stop } = await startTarget(gatewayTarget(bench.secret), { ...bench, databaseUrl: database.url })
  const result = await sendAfterWarmup({ url, deliveries, warmupEvents, connections, onAnswer: () => bench.progress.advance(1) })
  // What this round left to do must not be done during the next.
  const isApplied = await waitUntilApplied(database, APPLY_LIMIT_MS)
  if (!isApplied) throw new Error(`The worker did not catch up within ${APPLY_LIMIT_MS / 1000} s`)
  await stop()
  return result
}
