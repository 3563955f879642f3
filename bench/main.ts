import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type Cleanup, cleanUpOnSignals, createCleanup } from './cleanup.ts'
import { type DatabaseServer, startDatabaseServer } from './database.ts'
import { measureDrain } from './drain.ts'
import { measureIngest } from './ingest.ts'
import { measureLatency } from './latency.ts'
import { createProgress, type Progress } from './progress.ts'
import { createReport, formatReport, type Measured } from './report.ts'
import { oneByOneTarget, verifyOnlyTarget } from './targets/baselines.ts'
import { gatewayTarget } from './targets/gateway.ts'

/** What every measurement works with. */
export type Bench = {
  server: DatabaseServer
  progress: Progress
  cleanup: Cleanup
  /** A temporary folder of this run. */
  folder: string
  secret: string
  cpuProfileFolder?: string
}

type Part = 'ingest' | 'latency' | 'drain'
type Options = { rounds: number; events: number; connections: number; quick?: boolean; json?: boolean; only: Part[]; cpuProf?: string }

const PARTS: Part[] = ['ingest', 'latency', 'drain']

const options = new Command('bench')
  .description('measures the gateway beside what it is compared with, on a temporary database')
  .addOption(new Option('--rounds <n>', 'rounds of each target').default(5).argParser(parseCount))
  .addOption(new Option('--events <n>', 'events in a round').default(10_000).argParser(parseCount))
  .addOption(new Option('--connections <n>', 'connections that send at the same time').default(64).argParser(parseCount))
  .addOption(new Option('--only <part...>', 'what to measure').choices(PARTS).default(PARTS))
  .option('--quick', 'short rounds, for a look; the numbers mean little')
  .option('--json', 'print JSON instead of tables')
  .option('--cpu-prof <folder>', 'write a CPU profile of every measured process')
  .parse()
  .opts<Options>()

const plan = makePlan(options)
const cleanup = createCleanup()
cleanUpOnSignals(cleanup)
const progress = createProgress(plan.totalEvents)
cleanup.add(async () => progress.stop())
try {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'))
  cleanup.add(() => rm(folder, { recursive: true, force: true }))
  progress.begin('starting PostgreSQL')
  const server = await startDatabaseServer(folder, cleanup)
  const cpuProfileFolder = options.cpuProf && { cpuProfileFolder: resolve(options.cpuProf) }
  const bench = { server, progress, cleanup, folder, secret: 'whsec_bench_0123456789abcdef', ...cpuProfileFolder }
  const report = createReport(server, await measure(bench))
  progress.stop()
  process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : formatReport(report))
} catch (error) {
  // After a signal everything fails, and nobody needs to hear of it.
  if (process.exitCode === undefined) process.stderr.write(`\nThe benchmark failed: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode ??= 1
} finally {
  await cleanup.run()
}
// Prisma's engine leaves a timer of ten seconds behind, for which nobody should wait.
process.stdout.write('', () => process.exit())

async function measure(bench: Bench): Promise<Measured> {
  const { secret } = bench
  const targets = [verifyOnlyTarget(secret), oneByOneTarget(secret), gatewayTarget(secret)]
  return {
    ingest: plan.ingest && { options: plan.ingest, targets: await measureIngest(bench, targets, plan.ingest) },
    latency: plan.latency && (await measureLatency(bench, plan.latency)),
    drain: plan.drain && (await measureDrain(bench, plan.drain)),
  }
}

function makePlan({ rounds, events, connections, quick, only }: Options) {
  const ingest = { rounds: quick ? 2 : rounds, events: quick ? 3000 : events, warmupEvents: quick ? 1000 : 3000, connections }
  const latency = { eventsPerSecond: 200, seconds: quick ? 3 : 10, warmupSeconds: 2, connections }
  const drain = { rounds: quick ? 1 : 3, events: quick ? 3000 : events, connections }
  const counts = {
    ingest: ingest.rounds * 3 * (ingest.events + ingest.warmupEvents),
    latency: (latency.seconds + latency.warmupSeconds) * latency.eventsPerSecond,
    drain: drain.rounds * drain.events,
  }
  return {
    ingest: only.includes('ingest') ? ingest : null,
    latency: only.includes('latency') ? latency : null,
    drain: only.includes('drain') ? drain : null,
    totalEvents: only.reduce((sum, part) => sum + counts[part], 0),
  }
}

function parseCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('must be a whole number of at least 1.')
  return count
}
