import type { BenchDatabase } from './database.ts'
import { makeDeliveries } from './deliveries.ts'
import { sendAll } from './load.ts'
import type { Bench } from './main.ts'
import { fitLine } from './statistics.ts'
import { startTarget } from './target.ts'
import { gatewayTarget } from './targets/gateway.ts'
import { waitUntilApplied } from './wait-until-applied.ts'

export type MemoryOptions = { events: number; connections: number }
export type MemoryResult = { events: number; chunkEvents: number; seconds: number; samples: MemorySample[]; rss: Growth; heap: Growth }
type MemorySample = { events: number } & Memory
type Memory = { rssMb: number; heapMb: number }
/** Over the second half, by the straight line that fits its samples best. */
export type Growth = { mbPer100kEvents: number; percent: number }

const MIN_SAMPLES = 50
const MAX_CHUNK_EVENTS = 5000
const APPLY_LIMIT_MS = 120_000

/** What one process that receives and works holds while events pour in. */
export async function measureMemory(bench: Bench, { events, connections }: MemoryOptions): Promise<MemoryResult> {
  const chunkEvents = Math.min(MAX_CHUNK_EVENTS, Math.ceil(events / MIN_SAMPLES))
  const database = await bench.server.createDatabase()
  const { url, stop } = await startTarget(gatewayTarget(bench.secret), { ...bench, databaseUrl: database.url })
  bench.progress.begin(`memory over ${events} events`)
  const samples: MemorySample[] = []
  const startedAt = performance.now()
  for (let sent = 0; sent < events; sent += chunkEvents) {
    const deliveries = makeDeliveries(Math.min(chunkEvents, events - sent), bench.secret, sent)
    await sendAll({ url, deliveries, connections, onAnswer: () => bench.progress.advance(1) })
    await applyAll(database)
    samples.push({ events: sent + deliveries.length, ...(await readMemory(url)) })
    noteTenths(bench, samples, events)
  }
  const seconds = (performance.now() - startedAt) / 1000
  await stop()
  await database.drop()
  return { events, chunkEvents, seconds, samples, rss: fitGrowth(samples, 'rssMb'), heap: fitGrowth(samples, 'heapMb') }
}

/** The next chunk comes when the worker has done the last: the queue stays short. */
async function applyAll(database: BenchDatabase): Promise<void> {
  const isApplied = await waitUntilApplied(database, APPLY_LIMIT_MS)
  if (!isApplied) throw new Error(`The worker did not catch up within ${APPLY_LIMIT_MS / 1000} s`)
}

async function readMemory(url: string): Promise<Memory> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const readMb = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(metrics)?.[1]) / 1e6
  return { rssMb: readMb('process_resident_memory_bytes'), heapMb: readMb('nodejs_heap_size_used_bytes') }
}

function noteTenths({ progress }: Bench, samples: MemorySample[], events: number): void {
  const [before, last] = [samples.at(-2)?.events ?? 0, samples.at(-1)]
  const tenths = (count: number) => Math.floor((10 * count) / events)
  if (last && tenths(last.events) > tenths(before)) progress.note(`memory after ${last.events} events: RSS ${last.rssMb.toFixed(0)} MB`)
}

function fitGrowth(samples: MemorySample[], field: keyof Memory): Growth {
  const end = samples.at(-1)?.events ?? 0
  const secondHalf = samples.filter(({ events }) => events >= end / 2)
  const line = fitLine(secondHalf.map((sample) => ({ x: sample.events, y: sample[field] })))
  return { mbPer100kEvents: line.slope * 100_000, percent: (line.at(end) / line.at(end / 2) - 1) * 100 }
}
