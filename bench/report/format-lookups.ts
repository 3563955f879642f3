import type { HistoryResult } from '../lookups/measure-lookups.ts'
import type { LookupResult, Timing } from '../lookups/time-lookups.ts'
import type { Measured } from './create-report.ts'
import { slowestMs } from './goals.ts'
import { milliseconds, range, table, times, whole } from './table.ts'

type Lookups = NonNullable<Measured['lookups']>

export function formatLookups({ options, histories }: Lookups): string[][] {
  return [
    formatGrowth({ options, histories }),
    ...histories.flatMap((history) => (history.groups.length > 0 ? [formatHistory(history, options.calls)] : [])),
  ]
}

function formatGrowth({ options: { ingest }, histories }: Lookups): string[] {
  const base = histories[0]?.ingest.median.eventsPerSecond ?? Number.NaN
  const rows = histories.map(({ events, ingest: { median, rounds } }) => [
    whole(events),
    whole(median.eventsPerSecond),
    range(rounds.map(({ eventsPerSecond }) => eventsPerSecond)),
    `${(1000 / median.eventsPerSecond).toFixed(2)} ms`,
    `${median.p50Ms.toFixed(0)} ms`,
    `${median.p99Ms.toFixed(0)} ms`,
    times(median.eventsPerSecond / base),
  ])
  return [
    `Growth: the gateway under the load of the ingest part beside the events that are stored already, medians of ${ingest.rounds} rounds`,
    ...table([['stored before', 'events/s', 'lowest to highest', 'for each', 'p50', 'p99', 'of the first'], ...rows]),
  ]
}

function formatHistory({ events, fillSeconds, groups }: HistoryResult, calls: number): string[] {
  const heading = ['shown', 'median', 'p99', 'deep: shown', 'median', 'p99', '']
  return [
    `Look-ups among ${whole(events)} events (filled in by SQL in ${whole(fillSeconds)} s, short bodies): up to ${calls} calls each, one after the other`,
    ...table([
      ['', ...heading],
      ...groups.flatMap(({ title, goalMs, lookups }) => [[title], ...lookups.map((lookup) => formatLookup(lookup, goalMs))]),
    ]),
  ]
}

function formatLookup({ name, first, deep }: LookupResult, goalMs: number): string[] {
  const isMet = slowestMs({ first, deep }) < goalMs
  return [`  ${name}`, ...formatTiming(first), ...(deep ? formatTiming(deep) : ['', '', '']), isMet ? 'met' : 'missed']
}

function formatTiming({ shown, p50Ms, p99Ms }: Timing): string[] {
  return [String(shown ?? 'failed'), milliseconds(p50Ms), milliseconds(p99Ms)]
}
