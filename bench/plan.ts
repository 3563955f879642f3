import type { DrainOptions } from './drain.ts'
import type { IngestOptions } from './ingest.ts'
import type { LatencyOptions } from './latency/measure-latency.ts'
import { countLookupWork, type LookupsOptions } from './lookups/measure-lookups.ts'
import type { MemoryOptions } from './memory.ts'
import type { Options, Part } from './options.ts'

export type Plan = {
  ingest: IngestOptions
  latency: LatencyOptions
  drain: DrainOptions
  lookups: LookupsOptions
  memory: MemoryOptions
}

export function makePlan({ rounds, events, connections, rows, memoryEvents, quick }: Options): Plan {
  const ingest = { rounds: quick ? 2 : rounds, events: quick ? 3000 : events, warmupEvents: quick ? 1000 : 3000, connections }
  return {
    ingest,
    latency: { rates: [200, 1000], seconds: quick ? 3 : 10, warmupSeconds: 2, connections },
    drain: { rounds: quick ? 1 : 3, events: quick ? 3000 : events, connections },
    lookups: {
      rows: rows ?? (quick ? [0, 100_000] : [0, 1_000_000]),
      calls: quick ? 20 : 50,
      warmupCalls: 5,
      ingest: { ...ingest, rounds: quick ? 1 : Math.min(rounds, 3) },
    },
    memory: { events: memoryEvents ?? (quick ? 20_000 : 500_000), connections },
  }
}

/** In events that are sent, or what takes as long. */
export function countWork({ ingest, latency, drain, lookups, memory }: Plan, parts: Part[]): number {
  const work: Record<Part, number> = {
    ingest: ingest.rounds * 3 * (ingest.events + ingest.warmupEvents),
    latency: (latency.seconds + latency.warmupSeconds) * latency.rates.reduce((sum, rate) => sum + rate, 0),
    drain: drain.rounds * drain.events,
    lookups: countLookupWork(lookups),
    memory: memory.events,
  }
  return parts.reduce((sum, part) => sum + work[part], 0)
}
