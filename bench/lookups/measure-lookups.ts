import type { BenchDatabase } from '../database.ts'
import { selectSample } from '../history/events-sql.ts'
import { fillHistory } from '../history/fill-history.ts'
import type { History } from '../history/history.ts'
import type { IngestOptions } from '../ingest.ts'
import type { Bench } from '../main.ts'
import { startTarget } from '../target.ts'
import { gatewayTarget } from '../targets/gateway.ts'
import { type IngestBeside, ingestBeside } from './ingest-beside.ts'
import { createSubjects, type Subject } from './lookup.ts'
import { countCalls, type LookupGroup, timeLookups } from './time-lookups.ts'

export type LookupsOptions = { rows: number[]; calls: number; warmupCalls: number; ingest: IngestOptions }
/** `groups` is empty where nothing had been filled in. */
export type HistoryResult = { events: number; fillSeconds: number; groups: LookupGroup[]; ingest: IngestBeside }

export type Filled = { database: BenchDatabase; history: History; fillSeconds: number }

const FILLED_WHILE_ONE_IS_SENT = 16

/** What is done, in the time that it takes to send an event. */
export function countLookupWork({ rows, calls, warmupCalls, ingest }: LookupsOptions): number {
  const asked = rows.filter((events) => events > 0)
  const filled = asked.reduce((sum, events) => sum + events, 0)
  return (
    filled / FILLED_WHILE_ONE_IS_SENT +
    asked.length * countCalls(calls + warmupCalls) +
    rows.length * ingest.rounds * (ingest.events + ingest.warmupEvents)
  )
}

/** Fills a database with each number of events, times every look-up in it, then the ingest beside them. */
export async function measureLookups(bench: Bench, options: LookupsOptions): Promise<HistoryResult[]> {
  const filled: Filled[] = []
  for (const events of options.rows) filled.push(await fill(bench, events))
  const groups: LookupGroup[][] = []
  for (const each of filled) groups.push(each.history.events > 0 ? await lookUp(bench, each, options) : [])
  const ingest = await ingestBeside(bench, filled, options.ingest)
  for (const { database } of filled) await database.drop()
  return filled.map(({ history, fillSeconds }, index) => ({
    events: history.events,
    fillSeconds,
    groups: groups[index] ?? [],
    ingest: ingest[index] as IngestBeside,
  }))
}

async function fill({ server, progress }: Bench, events: number): Promise<Filled> {
  const step = `filling in ${events} events`
  progress.begin(step)
  const database = await server.createDatabase()
  const startedAt = performance.now()
  const history = await fillHistory(database, events, (part) => progress.advance((part * events) / FILLED_WHILE_ONE_IS_SENT))
  const fillSeconds = (performance.now() - startedAt) / 1000
  if (events > 0) progress.note(`${step}: ${Math.round(fillSeconds)} s`)
  return { database, history, fillSeconds }
}

async function lookUp(bench: Bench, { database, history }: Filled, { calls, warmupCalls }: LookupsOptions): Promise<LookupGroup[]> {
  const step = `look-ups among ${history.events} events`
  bench.progress.begin(step)
  const events = await database.query<Subject['event']>(selectSample(calls + warmupCalls, history.events))
  const { url, stop } = await startTarget(gatewayTarget(bench.secret), { ...bench, databaseUrl: database.url })
  const subjects = createSubjects(history, events)
  const groups = await timeLookups({ url, history, subjects, warmupCalls, onCall: () => bench.progress.advance(1) })
  await stop()
  const medians = groups.flatMap(({ lookups }) => lookups.map(({ first }) => first.p50Ms))
  bench.progress.note(`${step}: the slowest in ${Math.max(...medians).toFixed(1)} ms (median)`)
  return groups
}
