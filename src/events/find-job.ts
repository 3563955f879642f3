import { validate as isUuid } from 'uuid'
import type { EventReplay, WebhookEvent } from '../generated/prisma/client.ts'
import type { Database } from '../platform/database.ts'
import type { Queue } from '../platform/queue.ts'
import { QUEUES } from './event-jobs.ts'
import { findReplay } from './find-replay.ts'

type Deps = { db: Database; queue: Queue }
/** Of an event, of a replay, or of both. */
type JobResult = { messageId?: string; status?: string; reason?: string | null; replayId?: string }

export type JobStory = {
  jobId: string
  kind: 'process_event' | 'replay'
  status: 'pending' | 'running' | 'done' | 'failed'
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
  attempt: number
  error: string | null
  result: JobResult | null
  correlationId: string
}

/** What became of a job. Our own tables tell it also after pg-boss has deleted the job; only pg-boss knows that it runs right now. */
export async function findJob(deps: Deps, jobId: string): Promise<JobStory | null> {
  if (!isUuid(jobId)) return null
  const event = await deps.db.prisma.webhookEvent.findUnique({ where: { messageId: jobId } })
  if (event) return findFirstJob(deps, event)
  const replayed = await deps.db.prisma.eventReplay.findFirst({ where: { jobId } })
  return replayed ? findReplayJob(deps, replayed) : findReplayAsJob(deps, jobId)
}

/** The first job of an event has the event's id. */
async function findFirstJob(deps: Deps, event: WebhookEvent): Promise<JobStory> {
  const isSettled = event.status !== 'received'
  const status = isSettled ? (event.status === 'dead' ? 'failed' : 'done') : 'pending'
  const progress = await findProgress(deps, event.messageId, isSettled)
  return {
    ...progress,
    kind: 'process_event',
    status: progress.isRunning ? 'running' : status,
    createdAt: event.receivedAt,
    finishedAt: isSettled ? event.processedAt : null,
    result: isSettled ? toResult(event) : null,
    correlationId: event.correlationId,
  }
}

async function findReplayJob(deps: Deps, { replayId, messageId, jobId, status, queuedAt, finishedAt }: EventReplay): Promise<JobStory> {
  const { prisma } = deps.db
  const [event, replay] = await Promise.all([
    prisma.webhookEvent.findUniqueOrThrow({ where: { messageId } }),
    prisma.replay.findUniqueOrThrow({ where: { replayId } }),
  ])
  const isSettled = status !== 'queued'
  const progress = await findProgress(deps, jobId ?? messageId, isSettled)
  return {
    ...progress,
    kind: 'process_event',
    status: progress.isRunning ? 'running' : isSettled ? (status === 'done' ? 'done' : 'failed') : 'pending',
    createdAt: queuedAt,
    finishedAt,
    result: isSettled ? { ...toResult(event), replayId } : null,
    correlationId: replay.correlationId,
  }
}

/** A replay of many events is polled as one job, by its own id. */
async function findReplayAsJob({ db }: Deps, jobId: string): Promise<JobStory | null> {
  const story = await findReplay(db, jobId)
  if (!story) return null
  const { replay, status, failed } = story
  const ended = failed > 0 ? 'failed' : 'done'
  return {
    jobId,
    kind: 'replay',
    status: status === 'running' ? 'running' : ended,
    createdAt: replay.createdAt,
    startedAt: replay.createdAt,
    finishedAt: story.finishedAt,
    attempt: 1,
    error: failed > 0 ? `${failed} events failed` : null,
    result: status === 'running' ? null : { replayId: replay.replayId },
    correlationId: replay.correlationId,
  }
}

async function findProgress({ db, queue }: Deps, jobId: string, isSettled: boolean) {
  const last = await db.prisma.eventAttempt.findFirst({ where: { jobId }, orderBy: { attempt: 'desc' } })
  const [job] = isSettled ? [] : await queue.findJobs(QUEUES.processEvent, { id: jobId })
  const running = job?.state === 'active' ? job : undefined
  return {
    jobId,
    isRunning: running !== undefined,
    startedAt: running ? running.startedOn : (last?.startedAt ?? null),
    attempt: running ? running.retryCount + 1 : (last?.attempt ?? 0),
    error: last?.outcome === 'failed' ? last.error : null,
  }
}

function toResult({ messageId, status, reason }: WebhookEvent): JobResult {
  return { messageId, status, reason }
}
