import type { DrainResult } from '../drain.ts'
import type { Report } from './create-report.ts'
import { formatIngest } from './format-ingest.ts'
import { formatLatency } from './format-latency.ts'
import { formatLookups } from './format-lookups.ts'
import { formatMemory } from './format-memory.ts'
import type { Goal } from './goals.ts'
import { range, table, whole } from './table.ts'

export function formatReport(report: Report): string {
  const { ingest, latency, drain, lookups, memory, goals } = report
  const sections = [
    formatMachine(report),
    ...(ingest ? [formatIngest(ingest)] : []),
    ...(latency ?? []).map(formatLatency),
    ...(drain ? [formatDrain(drain)] : []),
    ...(lookups ? formatLookups(lookups) : []),
    ...(memory ? [formatMemory(memory)] : []),
    ...(goals.length > 0 ? [table([['goal', 'wanted', 'measured', ''], ...goals.map(formatGoal)])] : []),
  ]
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

function formatMachine({ machine, databaseSettings }: Report): string[] {
  const settings = Object.entries(databaseSettings).map(([name, value]) => `${name} ${value}`)
  return [
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGiB} GiB, ${machine.platform}; Node ${machine.node}, PostgreSQL ${machine.postgres}`,
    `Database, gateway and load generator share this machine. ${settings.join(', ')}`,
  ]
}

function formatDrain({ events, eventsPerSecond, rounds }: DrainResult): string[] {
  return [`Drain: one worker empties a queue of ${whole(events)} at ${whole(eventsPerSecond)} events/s (${range(rounds)})`]
}

function formatGoal({ name, goal, measured, unit, isMet }: Goal): string[] {
  return [name, `${goal} ${unit}`, `${measured.toFixed(2)} ${unit}`, isMet ? 'met' : 'missed']
}
