import { availableParallelism, cpus, totalmem } from 'node:os'
import type { DatabaseServer } from '../database.ts'
import type { DrainResult } from '../drain.ts'
import type { IngestOptions, IngestResult } from '../ingest.ts'
import type { LatencyResult } from '../latency/measure-latency.ts'
import type { HistoryResult, LookupsOptions } from '../lookups/measure-lookups.ts'
import type { MemoryResult } from '../memory.ts'
import { type Goal, judgeGoals } from './goals.ts'

/** null is what was not to be measured. */
export type Measured = {
  ingest: { options: IngestOptions; targets: IngestResult[] } | null
  latency: LatencyResult[] | null
  drain: DrainResult | null
  lookups: { options: LookupsOptions; histories: HistoryResult[] } | null
  memory: MemoryResult | null
}

export type Report = Measured & {
  machine: { cores: number; processor: string; memoryGiB: number; platform: string; node: string; postgres: string }
  databaseSettings: Record<string, string>
  goals: Goal[]
}

export function createReport({ version, settings }: DatabaseServer, measured: Measured): Report {
  return {
    machine: {
      cores: availableParallelism(),
      processor: cpus()[0]?.model.trim() ?? 'unknown',
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      platform: `${process.platform} ${process.arch}`,
      node: process.version,
      postgres: version,
    },
    databaseSettings: settings,
    ...measured,
    goals: judgeGoals(measured),
  }
}
