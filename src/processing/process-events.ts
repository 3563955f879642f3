import { QUEUES } from '../events/event-jobs.ts'
import { insertAttempts, settleEvents } from '../events/settle-events.ts'
import type { Transaction } from '../platform/database.ts'
import { describeError } from '../platform/describe-error.ts'
import { failForGood, type JobResult, joining } from '../platform/queue.ts'
import { endReplays } from './end-replays.ts'
import { isPermanent } from './is-permanent.ts'
import { type Deps, type EventJob, type ProcessedEvent, processBatch } from './process-batch.ts'

/** The handler of the queue. A batch that fails is tried again one by one, so that one bad event cannot hold back the others. */
export async function processEvents(deps: Deps, jobs: EventJob[]): Promise<JobResult[]> {
  deps.metrics.processBatchSize.observe(jobs.length)
  try {
    tellProcessed(deps, jobs, await processBatch(deps, jobs))
    return jobs.map(completed)
  } catch (error) {
    if (jobs.length > 1) deps.logger.warn('batch.failed', { jobs: jobs.length, error: describeError(error) })
    const results: JobResult[] = []
    for (const job of jobs) results.push(await processOne(deps, job))
    return results
  }
}

async function processOne(deps: Deps, job: EventJob): Promise<JobResult> {
  const startedAt = deps.clock()
  try {
    tellProcessed(deps, [job], await processBatch(deps, [job]))
    return completed(job)
  } catch (error) {
    return recordFailure(deps, job, { startedAt, error: describeError(error), reason: await judge(deps, job, error) })
  }
}

/** Why this attempt is the last, or undefined where there is another. */
type EndReason = 'permanent_error' | 'attempts_exhausted' | undefined
type Failure = { startedAt: Date; error: string; reason: EndReason }

/** A job keeps the limit that held when it was queued; what a worker fetches does not say it, since reading it costs every job. */
async function judge({ queue, config }: Deps, { id, retryCount }: EventJob, error: unknown): Promise<EndReason> {
  if (isPermanent(error)) return 'permanent_error'
  const [stored] = await queue.findJobs(QUEUES.processEvent, { id })
  return retryCount >= (stored?.retryLimit ?? config.jobs.retryLimit) ? 'attempts_exhausted' : undefined
}

/** The failed attempt, the event's end (when it was the last one) and the job's failure are one transaction as well. */
async function recordFailure(deps: Deps, job: EventJob, { startedAt, error, reason }: Failure): Promise<JobResult> {
  const { message_id: messageId } = job.data
  const attempt = job.retryCount + 1
  const finishedAt = deps.clock()
  const isOurs = await deps.db.transaction(async (tx) => {
    // Settled or taken over since: what this attempt says of the event no longer counts.
    if (!(await failJob(deps, tx, job, { error, reason }))) return false
    if (reason) await giveUp(deps, tx, job, { reason, at: finishedAt })
    await insertAttempts(tx, deps.db.schema, [{ messageId, jobId: job.id, attempt, startedAt, finishedAt, outcome: 'failed', error }])
    return true
  })
  tellFailed(deps, job, { isOurs, isLast: reason !== undefined, error })
  return { id: job.id, status: 'failed', output: { message: error } }
}

/** False where the job is no longer ours. */
async function failJob({ queue }: Deps, tx: Transaction, job: EventJob, { error, reason }: Omit<Failure, 'startedAt'>): Promise<boolean> {
  const output = { message: error }
  if (reason === 'permanent_error') return failForGood(queue, tx, QUEUES.processEvent, { job, output })
  const { affected } = (await queue.fail(QUEUES.processEvent, job, output, { db: joining(tx) })) as { affected: number }
  return affected === 1
}

/** A replay that fails leaves an event that had its effect as it is; otherwise the event is dead. */
async function giveUp(deps: Deps, tx: Transaction, job: EventJob, { reason, at }: { reason: string; at: Date }): Promise<void> {
  const { message_id: messageId, replay_id: replayId } = job.data
  await endReplays(deps, tx, { jobs: [job], status: 'failed', at })
  if (replayId === undefined) await settleEvents(tx, deps.db.schema, [{ messageId, status: 'dead', reason }], at)
}

type Told = { isOurs: boolean; isLast: boolean; error: string }

function tellFailed({ logger, metrics }: Deps, { id, data, retryCount }: EventJob, { isOurs, isLast, error }: Told): void {
  const ids = {
    message_id: data.message_id,
    correlation_id: data.correlation_id,
    causation_id: data.causation_id,
    job_id: id,
    replay_id: data.replay_id,
    attempt: retryCount + 1,
  }
  if (!isOurs) {
    logger.info('claim.lost', { ...ids, error })
    return
  }
  metrics.failedAttempts.inc()
  if (!isLast) {
    logger.warn('attempt.failed', { ...ids, error })
  } else if (data.replay_id !== undefined) {
    // Its event stays what it was.
    logger.error('replay.failed', { ...ids, error })
  } else {
    metrics.deadEvents.inc()
    logger.error('event.died', { ...ids, error })
  }
}

function tellProcessed({ logger, metrics, clock }: Deps, jobs: EventJob[], processed: ProcessedEvent[]): void {
  const jobOf = new Map(jobs.map((job) => [job.data.message_id, job]))
  for (const { messageId, receivedAt, status, reason } of processed) {
    metrics.processingSeconds.observe({ status }, (clock().getTime() - receivedAt.getTime()) / 1000)
    const job = jobOf.get(messageId)
    logger.info(`event.${status}`, {
      message_id: messageId,
      reason: reason ?? undefined,
      job_id: job?.id,
      attempt: job && job.retryCount + 1,
      correlation_id: job?.data.correlation_id,
      causation_id: job?.data.causation_id,
      replay_id: job?.data.replay_id,
    })
  }
}

function completed({ id }: EventJob): JobResult {
  return { id, status: 'completed' }
}
