import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Cleanup, cleanUpOnSignals, createCleanup } from './cleanup.ts'
import { type DatabaseServer, startDatabaseServer } from './database.ts'
import { measureDrain } from './drain.ts'
import { measureIngest } from './ingest.ts'
import { measureLatency } from './latency/measure-latency.ts'
import { measureLookups } from './lookups/measure-lookups.ts'
import { measureMemory } from './memory.ts'
import { type Part, parseOptions } from './options.ts'
import { countWork, makePlan, type Plan } from './plan.ts'
import { createProgress, type Progress } from './progress.ts'
import { createReport, type Measured } from './report/create-report.ts'
import { formatReport } from './report/format-report.ts'
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

const options = parseOptions()
const plan = makePlan(options)
const cleanup = createCleanup()
cleanUpOnSignals(cleanup)
const progress = createProgress(countWork(plan, options.only))
cleanup.add(async () => progress.stop())
try {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'))
  cleanup.add(() => rm(folder, { recursive: true, force: true }))
  progress.begin('starting PostgreSQL')
  const server = await startDatabaseServer(folder, cleanup)
  const cpuProfileFolder = options.cpuProf && { cpuProfileFolder: resolve(options.cpuProf) }
  const bench = { server, progress, cleanup, folder, secret: 'whsec_bench_0123456789abcdef', ...cpuProfileFolder }
  const report = createReport(server, await measure(bench, plan, options.only))
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

async function measure(bench: Bench, { ingest, latency, drain, lookups, memory }: Plan, parts: Part[]): Promise<Measured> {
  const { secret } = bench
  const targets = [verifyOnlyTarget(secret), oneByOneTarget(secret), gatewayTarget(secret)]
  return {
    ingest: parts.includes('ingest') ? { options: ingest, targets: await measureIngest(bench, targets, ingest) } : null,
    latency: parts.includes('latency') ? await measureLatency(bench, latency) : null,
    drain: parts.includes('drain') ? await measureDrain(bench, drain) : null,
    lookups: parts.includes('lookups') ? { options: lookups, histories: await measureLookups(bench, lookups) } : null,
    memory: parts.includes('memory') ? await measureMemory(bench, memory) : null,
  }
}
