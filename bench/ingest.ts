import type { BenchDatabase } from './database.ts'
import { makeDeliveries, type SignedDelivery } from './deliveries.ts'
import { type LoadResult, medianLoad, sendAfterWarmup } from './load.ts'
import type { Bench } from './main.ts'
import { median } from './statistics.ts'
import { startTarget, type Target } from './target.ts'

export type IngestOptions = { rounds: number; events: number; warmupEvents: number; connections: number }
type IngestRound = LoadResult & { appliedAtEnd: number | null }
export type IngestResult = { name: string; title: string; median: IngestRound; rounds: IngestRound[] }

/** The same load on each target in turn, round after round, so that a noisy moment hits all of them. */
export async function measureIngest(bench: Bench, targets: Target[], options: IngestOptions): Promise<IngestResult[]> {
  const rounds = new Map<Target, IngestRound[]>(targets.map((target) => [target, []]))
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const target of targets) {
      const step = `round ${round} of ${options.rounds}, ${target.name}`
      bench.progress.begin(step)
      const result = await runRound(bench, target, options)
      rounds.get(target)?.push(result)
      bench.progress.note(`${step}: ${Math.round(result.eventsPerSecond)} events/s, p99 ${result.p99Ms} ms`)
    }
  }
  return targets.map((target) => summarize(target, rounds.get(target) ?? []))
}

async function runRound(bench: Bench, target: Target, { events, warmupEvents, connections }: IngestOptions): Promise<IngestRound> {
  const database = await bench.server.createDatabase()
  const deliveries = makeDeliveries(warmupEvents + events, bench.secret)
  const running = await startTarget(target, { ...bench, databaseUrl: database.url })
  const result = await sendAfterWarmup({
    url: running.url,
    deliveries,
    warmupEvents,
    connections,
    onAnswer: () => bench.progress.advance(1),
  })
  const appliedAtEnd = target.storedSql ? await countApplied(database) : null
  await running.stop()
  if (target.storedSql) await checkStored(database, target.storedSql, deliveries)
  await database.drop()
  return { ...result, appliedAtEnd }
}

/** An answer is a promise: every event, its job and its bytes have to be there, once. */
async function checkStored(database: BenchDatabase, storedSql: string, deliveries: SignedDelivery[]): Promise<void> {
  const bytes = deliveries.reduce((sum, { body }) => sum + body.length, 0)
  const expected = { events: deliveries.length, jobs: deliveries.length, bodies: deliveries.length, bytes }
  const [row = {}] = await database.query<Record<string, string>>(storedSql)
  const wrong = Object.entries(expected).filter(([name, count]) => Number(row[name]) !== count)
  if (wrong.length === 0) return
  throw new Error(`Not stored as promised: ${wrong.map(([name, count]) => `${row[name]} ${name} instead of ${count}`).join(', ')}`)
}

async function countApplied(database: BenchDatabase): Promise<number> {
  const [row] = await database.query<{ count: string }>(`select count(*) from sluice.webhook_events where status <> 'received'`)
  return Number(row?.count)
}

function summarize({ name, title }: Target, rounds: IngestRound[]): IngestResult {
  const applied = rounds.flatMap(({ appliedAtEnd }) => appliedAtEnd ?? [])
  return { name, title, rounds, median: { ...medianLoad(rounds), appliedAtEnd: applied.length > 0 ? median(applied) : null } }
}
