import { validate as isUuid } from 'uuid'
import type { Database } from '../platform/database.ts'
import type { Queue } from '../platform/queue.ts'
import { QUEUES } from './event-jobs.ts'

export type JobStory = {
  jobId: string
  status: 'pending' | 'running' | 'done' | 'failed'
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
  attempt: number
  error: string | null
  result: { messageId: string; status: string; reason: string | null }
  correlationId: string
}

/** What became of a job. Its event and attempts tell it also after pg-boss has deleted the job; only pg-boss knows that it runs right now. */
export async function findJob({ db, queue }: { db: Database; queue: Queue }, jobId: string): Promise<JobStory | null> {
  if (!isUuid(jobId)) return null
  const event = await db.prisma.webhookEvent.findUnique({ where: { messageId: jobId } })
  if (!event) return null
  const last = await db.prisma.eventAttempt.findFirst({ where: { jobId }, orderBy: { attempt: 'desc' } })
  const [running] = event.status === 'received' ? await queue.findJobs(QUEUES.processEvent, { id: jobId }) : []
  const isRunning = running?.state === 'active'
  const isSettled = event.status !== 'received'
  return {
    jobId,
    status: isSettled ? (event.status === 'dead' ? 'failed' : 'done') : isRunning ? 'running' : 'pending',
    createdAt: event.receivedAt,
    startedAt: isRunning ? running.startedOn : (last?.startedAt ?? null),
    finishedAt: isSettled ? event.processedAt : null,
    attempt: isRunning ? running.retryCount + 1 : (last?.attempt ?? 0),
    error: last?.outcome === 'failed' ? last.error : null,
    result: { messageId: event.messageId, status: event.status, reason: event.reason },
    correlationId: event.correlationId,
  }
}
