import type { IngestResult } from '../ingest.ts'
import type { LatencyResult } from '../latency/measure-latency.ts'
import type { HistoryResult } from '../lookups/measure-lookups.ts'
import type { LookupResult } from '../lookups/time-lookups.ts'
import type { MemoryResult } from '../memory.ts'
import type { Measured } from './create-report.ts'
import { whole } from './table.ts'

export type Goal = { name: string; goal: number; measured: number; unit: string; isMet: boolean }

const APPLIED_GOAL_MS = 50
const APPLIED_GOAL_EVENTS_PER_SECOND = 200
const GROWTH_GOAL_PERCENT = 10

export function judgeGoals({ ingest, latency, lookups, memory }: Measured): Goal[] {
  return [
    ...(ingest ? ingestGoals(ingest.targets) : []),
    ...(latency ?? []).filter(({ eventsPerSecond }) => eventsPerSecond === APPLIED_GOAL_EVENTS_PER_SECOND).map(latencyGoal),
    ...(lookups?.histories ?? []).flatMap(lookupGoals),
    ...(memory ? [memoryGoal(memory)] : []),
  ]
}

function ingestGoals(targets: IngestResult[]): Goal[] {
  const rate = (name: string) => targets.find((target) => target.name === name)?.median.eventsPerSecond ?? Number.NaN
  const atLeast = (name: string, goal: number, measured: number) => ({ name, goal, measured, unit: '×', isMet: measured >= goal })
  return [
    atLeast('gateway to verify-only, at least', 0.5, rate('gateway') / rate('verify-only')),
    atLeast('gateway to one-by-one, at least', 4, rate('gateway') / rate('one-by-one')),
  ]
}

function latencyGoal({ eventsPerSecond, committedMs }: LatencyResult): Goal {
  return under(`delivery to applied at ${eventsPerSecond} events/s, median under`, APPLIED_GOAL_MS, committedMs.p50, 'ms')
}

/** One for the look-ups of the API, one for the pages of the console. */
function lookupGoals({ events, groups }: HistoryResult): Goal[] {
  return [...Map.groupBy(groups, ({ goalMs }) => goalMs)].map(([goalMs, same]) => {
    const slowest = same.flatMap(({ lookups }) => lookups.map(slowestMs))
    return under(
      `each ${same.map(({ title }) => title).join(', ')} among ${whole(events)} events, median under`,
      goalMs,
      Math.max(...slowest),
      'ms',
    )
  })
}

/** The greater median of the first page and of the one deep inside. */
export function slowestMs({ first, deep }: Pick<LookupResult, 'first' | 'deep'>): number {
  return Math.max(...[first, ...(deep ? [deep] : [])].map(({ shown, p50Ms }) => (shown === null ? Number.POSITIVE_INFINITY : p50Ms)))
}

function memoryGoal({ events, rss }: MemoryResult): Goal {
  return under(`growth of RSS over the second half of ${whole(events)} events, under`, GROWTH_GOAL_PERCENT, rss.percent, '%')
}

function under(name: string, goal: number, measured: number, unit: string): Goal {
  return { name, goal, measured, unit, isMet: measured < goal }
}
