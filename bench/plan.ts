import type { DrainOptions } from './drain.ts'
import type { IngestOptions } from './ingest.ts'
import type { LatencyOptions } from './latency/measure-latency.ts'
import type { Options, Part } from './options.ts'

export type Plan = {
  ingest: IngestOptions
  latency: LatencyOptions
  drain: DrainOptions
}

export function makePlan({ rounds, events, connections, quick }: Options): Plan {
  const ingest = { rounds: quick ? 2 : rounds, events: quick ? 3000 : events, warmupEvents: quick ? 1000 : 3000, connections }
  return {
    ingest,
    latency: { rates: [200, 1000], seconds: quick ? 3 : 10, warmupSeconds: 2, connections },
    drain: { rounds: quick ? 1 : 3, events: quick ? 3000 : events, connections },
  }
}

/** In events that are sent. */
export function countWork({ ingest, latency, drain }: Plan, parts: Part[]): number {
  const work: Record<Part, number> = {
    ingest: ingest.rounds * 3 * (ingest.events + ingest.warmupEvents),
    latency: (latency.seconds + latency.warmupSeconds) * latency.rates.reduce((sum, rate) => sum + rate, 0),
    drain: drain.rounds * drain.events,
  }
  return parts.reduce((sum, part) => sum + work[part], 0)
}
