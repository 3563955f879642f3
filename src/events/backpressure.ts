import type { Queryable } from '../platform/database.ts'
import { describeError } from '../platform/describe-error.ts'
import type { Logger } from '../platform/logger.ts'
import { countWaiting } from '../platform/measure-queue.ts'
import { QUEUES } from './event-jobs.ts'

export type Backpressure = {
  isAccepting(): boolean
  /** Whether this process takes in so much that its own worker should let it go first. */
  isBusy(): boolean
  /** Events recorded since the last look count at once. */
  noteRecorded(count: number): void
  runOnce(): Promise<void>
  start(): void
  stop(): void
}

type Options = { db: Queryable; queueSchema: string; maxDepth: number; logger: Logger }

const LOOK_INTERVAL_MS = 1000
const REOPEN_AT = 0.9
// 400 events a second: below it there is time for both.
const WINDOW_MS = 250
const BUSY_PER_WINDOW = 100

/**
 * Refuses deliveries while more jobs wait than the maximum; they cost no look at the table. Other processes record as
 * well, so the depth can pass the maximum by what they take in within a second.
 */
export function createBackpressure({ db, queueSchema, maxDepth, logger }: Options): Backpressure {
  let depth = 0
  let accepting = true
  let timer: NodeJS.Timeout | undefined
  let window = { startedAt: 0, recorded: 0, previous: 0 }

  function decide(): void {
    const next = decideAccepting(accepting, depth, maxDepth)
    if (next !== accepting) logger[next ? 'info' : 'warn'](next ? 'shedding.ended' : 'shedding.started', { depth, max_depth: maxDepth })
    accepting = next
  }

  async function runOnce(): Promise<void> {
    depth = await countWaiting(db, { schema: queueSchema, name: QUEUES.processEvent }, maxDepth + 1)
    decide()
  }

  return {
    isAccepting: () => accepting,
    isBusy: () => {
      window = slide(window, performance.now())
      return Math.max(window.recorded, window.previous) > BUSY_PER_WINDOW
    },
    noteRecorded(count) {
      depth += count
      window = slide(window, performance.now())
      window.recorded += count
      decide()
    },
    runOnce,
    start() {
      const look = () => runOnce().catch((error: unknown) => logger.warn('depth.unknown', { error: describeError(error) }))
      timer = setInterval(look, LOOK_INTERVAL_MS)
    },
    stop: () => clearInterval(timer),
  }
}

/** Closes above the maximum and opens again at 90 % of it, so that it does not flutter. */
export function decideAccepting(accepting: boolean, depth: number, maxDepth: number): boolean {
  if (depth > maxDepth) return false
  return accepting || depth <= maxDepth * REOPEN_AT
}

type Window = { startedAt: number; recorded: number; previous: number }

function slide(window: Window, now: number): Window {
  const age = now - window.startedAt
  if (age < WINDOW_MS) return window
  return { startedAt: now, recorded: 0, previous: age < 2 * WINDOW_MS ? window.recorded : 0 }
}
