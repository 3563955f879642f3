import { Command, InvalidArgumentError, Option } from 'commander'

export type Part = 'ingest' | 'latency' | 'drain' | 'lookups' | 'memory'
export type Options = {
  rounds: number
  events: number
  connections: number
  rows?: number[]
  memoryEvents?: number
  only: Part[]
  quick?: boolean
  json?: boolean
  cpuProf?: string
}

const DEFAULT_PARTS: Part[] = ['ingest', 'latency', 'drain', 'lookups']
const PARTS: Part[] = [...DEFAULT_PARTS, 'memory']
const MIN_FILLED = 1000

export function parseOptions(): Options {
  return new Command('bench')
    .description('measures the gateway beside what it is compared with, on a temporary database')
    .addOption(new Option('--only <part...>', 'what to measure').choices(PARTS).default(DEFAULT_PARTS))
    .addOption(new Option('--rounds <n>', 'rounds of each target').default(5).argParser(parseCount))
    .addOption(new Option('--events <n>', 'events in a round').default(5000).argParser(parseCount))
    .addOption(new Option('--connections <n>', 'connections that send at the same time').default(64).argParser(parseCount))
    .addOption(new Option('--rows <n...>', 'lookups: events stored before (default: 0 1000000)').argParser(collectRows))
    .addOption(new Option('--memory-events <n>', 'memory: events to feed (default: 500000)').argParser(parseCount))
    .option('--quick', 'short rounds, for a look; the numbers mean little')
    .option('--json', 'print JSON instead of tables')
    .option('--cpu-prof <folder>', 'write a CPU profile of every measured process')
    .parse()
    .opts<Options>()
}

function parseCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('must be a whole number of at least 1.')
  return count
}

function collectRows(text: string, before: number[] = []): number[] {
  const rows = Number(text)
  if (!Number.isInteger(rows) || (rows !== 0 && rows < MIN_FILLED)) {
    throw new InvalidArgumentError(`must be 0 or a whole number of at least ${MIN_FILLED}.`)
  }
  return [...before, rows]
}
