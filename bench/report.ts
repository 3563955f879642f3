import { availableParallelism, cpus, totalmem } from 'node:os'
import type { DatabaseServer } from './database.ts'
import type { DrainResult } from './drain.ts'
import type { IngestOptions, IngestResult } from './ingest.ts'
import type { LatencyResult } from './latency.ts'
import type { Percentiles } from './statistics.ts'

export type Report = {
  machine: { cores: number; processor: string; memoryGiB: number; platform: string; node: string; postgres: string }
  databaseSettings: Record<string, string>
  ingest: { options: IngestOptions; targets: IngestResult[] } | null
  latency: LatencyResult | null
  drain: DrainResult | null
  goals: Goal[]
}
type Goal = { name: string; goal: number; measured: number; unit: string; isMet: boolean }

export type Measured = Pick<Report, 'ingest' | 'latency' | 'drain'>

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
    goals: [...(measured.ingest ? ingestGoals(measured.ingest.targets) : []), ...(measured.latency ? [latencyGoal(measured.latency)] : [])],
  }
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
  const measured = committedMs.p50
  return { name: `delivery to applied at ${eventsPerSecond} events/s, median under`, goal: 50, measured, unit: 'ms', isMet: measured < 50 }
}

export function formatReport(report: Report): string {
  const { machine, databaseSettings } = report
  const settings = Object.entries(databaseSettings).map(([name, value]) => `${name} ${value}`)
  return [
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGiB} GiB, ${machine.platform}; Node ${machine.node}, PostgreSQL ${machine.postgres}`,
    `Database, gateway and load generator share this machine. ${settings.join(', ')}`,
    ...(report.ingest ? ['', ...formatIngest(report.ingest)] : []),
    ...(report.latency ? ['', ...formatLatency(report.latency)] : []),
    ...(report.drain ? ['', formatDrain(report.drain)] : []),
    ...(report.goals.length > 0 ? ['', ...table([['goal', 'wanted', 'measured', ''], ...report.goals.map(formatGoal)])] : []),
    '',
  ].join('\n')
}

function formatIngest({ options, targets }: NonNullable<Report['ingest']>): string[] {
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

function formatLatency({ eventsPerSecond, events, answeredMs, processedMs, committedMs }: LatencyResult): string[] {
  const row = (name: string, { p50, p95, p99 }: Percentiles) => [name, ...[p50, p95, p99].map((value) => `${value.toFixed(1)} ms`)]
  return [
    `Latency: ${whole(events)} events at ${eventsPerSecond} events/s, sent on time whatever the answers do`,
    ...table([
      ['from sending to', 'p50', 'p95', 'p99'],
      row('the answer', answeredMs),
      row('processed_at', processedMs),
      row('applied (committed)', committedMs),
    ]),
  ]
}

function formatDrain({ events, eventsPerSecond, rounds }: DrainResult): string {
  return `Drain: one worker empties a queue of ${whole(events)} at ${whole(eventsPerSecond)} events/s (${range(rounds)})`
}

function formatGoal({ name, goal, measured, unit, isMet }: Goal): string[] {
  return [name, `${goal} ${unit}`, `${measured.toFixed(2)} ${unit}`, isMet ? 'met' : 'missed']
}

function table(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('   ')}`.trimEnd(),
  )
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

function range(values: number[]): string {
  return `${whole(Math.min(...values))} to ${whole(Math.max(...values))}`
}

function times(ratio: number): string {
  return `${ratio.toFixed(2)} ×`
}
