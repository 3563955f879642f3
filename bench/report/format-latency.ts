import type { LatencyResult } from '../latency/measure-latency.ts'
import type { Percentiles } from '../statistics.ts'
import { milliseconds, table, whole } from './table.ts'

export function formatLatency({ eventsPerSecond, sentPerSecond, events, behind, ...times }: LatencyResult): string[] {
  const row = (name: string, { p50, p95, p99 }: Percentiles) => [name, ...[p50, p95, p99].map(milliseconds)]
  return [
    `Latency: ${whole(events)} events at ${whole(eventsPerSecond)} events/s (reached ${whole(sentPerSecond)}), sent on time whatever the answers do`,
    ...table([
      ['from sending to', 'p50', 'p95', 'p99'],
      row('the answer', times.answeredMs),
      row('processed_at', times.processedMs),
      row('applied (committed)', times.committedMs),
    ]),
    ...formatBehind(behind),
  ]
}

function formatBehind({ unanswered, unapplied, catchUpMs, neverApplied, refused }: LatencyResult['behind']): string[] {
  const caughtUp = unapplied > 0 && neverApplied === 0 ? `, ${(catchUpMs / 1000).toFixed(1)} s later none` : ''
  const kept = `When the last was sent, ${whole(unanswered)} answers were due; when the last answer came, ${whole(unapplied)} events were not applied${caughtUp}.`
  const lost = `It did not keep up: ${whole(refused)} events were refused, ${whole(neverApplied)} were not applied in time; the times are those of the others.`
  return refused + neverApplied > 0 ? [kept, lost] : [kept]
}
