import { type ProcessEventJob, QUEUES } from '../events/event-jobs.ts'
import { WORK_OPTIONS } from '../platform/queue.ts'
import { within } from '../platform/shutdown.ts'
import type { Deps } from './process-batch.ts'
import { processEvents } from './process-events.ts'

// 100 jobs a transaction measured best; a larger batch holds its locks longer for little.
const BATCH_SIZE = 100
// A batch that takes longer is handed back when the queue stops.
const STOP_TIMEOUT_MS = 4000

export type Worker = { start(): Promise<void>; stop(): Promise<void> }

export function createWorker(deps: Deps): Worker {
  return {
    async start() {
      await deps.queue.work<ProcessEventJob, unknown, typeof WORK_OPTIONS & { batchSize: number }>(
        QUEUES.processEvent,
        { ...WORK_OPTIONS, batchSize: BATCH_SIZE },
        (jobs) => processEvents(deps, jobs),
      )
    },
    async stop() {
      await within(STOP_TIMEOUT_MS, deps.queue.offWork(QUEUES.processEvent))
    },
  }
}
