import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { type ProcessEventJob, QUEUES, type RunReplayJob } from '../events/event-jobs.ts'
import { runReplayStep } from '../events/run-replay.ts'
import { describeError } from '../platform/describe-error.ts'
import { WORK_OPTIONS } from '../platform/queue.ts'
import { within } from '../platform/shutdown.ts'
import { buryDeadEvents } from './bury-dead-events.ts'
import type { Deps } from './process-batch.ts'
import { processEvents } from './process-events.ts'

// A larger batch holds its locks longer for little.
const BATCH_SIZE = 200
// While one batch waits for the database, the other is computed.
const CONCURRENCY = 2
// In one process with the ingress, answering comes first: while deliveries leave the event loop little time, a batch waits up to this long.
const YIELD_MS = 500
const YIELD_CHECK_MS = 50
// Without a batch, 1,000 deliveries a second keep it busy for less than half of the time.
const MAX_UTILIZATION = 0.6
// A batch that takes longer is handed back when the queue stops.
const STOP_TIMEOUT_MS = 4000
const BURY_INTERVAL_MS = 60_000
// A replay takes a step a second, so looking more often finds nothing.
const REPLAY_OPTIONS = { batchSize: 1, pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 1 } as const

export type Worker = { start(): Promise<void>; stop(): Promise<void> }

export function createWorker(deps: Deps & Pick<Context, 'backpressure'>): Worker {
  let burying: NodeJS.Timeout | undefined
  const bury = () => buryDeadEvents(deps).catch((error: unknown) => deps.logger.warn('burying.failed', { error: describeError(error) }))

  return {
    async start() {
      burying = setInterval(bury, BURY_INTERVAL_MS)
      await deps.queue.work<ProcessEventJob, unknown, typeof WORK_OPTIONS & { batchSize: number; localConcurrency: number }>(
        QUEUES.processEvent,
        { ...WORK_OPTIONS, batchSize: BATCH_SIZE, localConcurrency: CONCURRENCY },
        async (jobs) => {
          await yieldToDeliveries(deps)
          return processEvents(deps, jobs)
        },
      )
      await deps.queue.work<RunReplayJob>(QUEUES.runReplay, REPLAY_OPTIONS, async ([job]) => {
        if (job) await stepReplay(deps, job.data)
      })
    },
    async stop() {
      clearInterval(burying)
      const stopped = [QUEUES.processEvent, QUEUES.runReplay].map((name) => deps.queue.offWork(name))
      await within(
        STOP_TIMEOUT_MS,
        Promise.all(stopped).then(() => {}),
      )
    },
  }
}

/** The queue keeps what a job throws, with every field that it has. */
async function stepReplay(deps: Deps, job: RunReplayJob): Promise<void> {
  await runReplayStep(deps, job).catch((error: unknown) => {
    throw new Error(describeError(error))
  })
}

async function yieldToDeliveries({ backpressure }: Pick<Context, 'backpressure'>): Promise<void> {
  for (const until = Date.now() + YIELD_MS; backpressure.isBusy() && Date.now() < until; ) {
    const before = performance.eventLoopUtilization()
    await delay(YIELD_CHECK_MS)
    if (performance.eventLoopUtilization(before).utilization < MAX_UTILIZATION) return
  }
}
