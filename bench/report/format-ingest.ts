import type { Measured } from './create-report.ts'
import { range, table, times, whole } from './table.ts'

export function formatIngest({ options, targets }: NonNullable<Measured['ingest']>): string[] {
  const base = targets.map(({ median }) => median.eventsPerSecond)
  const rows = targets.map(({ title, median, rounds }, index) => [
    `(${String.fromCharCode(97 + index)}) ${title}`,
    whole(median.eventsPerSecond),
    range(rounds.map(({ eventsPerSecond }) => eventsPerSecond)),
    `${median.p50Ms.toFixed(0)} ms`,
    `${median.p99Ms.toFixed(0)} ms`,
    ...base.slice(0, 2).map((reference) => times(median.eventsPerSecond / reference)),
  ])
  const heading = ['target', 'events/s', 'lowest to highest', 'p50', 'p99', 'of (a)', 'of (b)'].slice(0, 5 + Math.min(2, base.length))
  const applied = targets.find(({ name }) => name === 'gateway')?.median.appliedAtEnd
  return [
    `Ingest: ${whole(options.events)} signed events of 2 KB after ${whole(options.warmupEvents)} to warm up, ${options.connections} connections, medians of ${options.rounds} rounds`,
    ...table([heading, ...rows]),
    ...(typeof applied === 'number'
      ? [
          `When its last answer came, the gateway's worker had applied ${whole(applied)} of ${whole(options.events + options.warmupEvents)}.`,
        ]
      : []),
  ]
}
