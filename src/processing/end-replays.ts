import { QUEUES } from '../events/event-jobs.ts'
import { findDeadJobs } from '../events/redrive-dead.ts'
import { endEventReplays } from '../events/replays-sql.ts'
import type { Transaction } from '../platform/database.ts'
import { joining } from '../platform/queue.ts'
import type { Deps, EventJob } from './process-batch.ts'

/** Dead events that a replay has processed leave the dead-letter queue. */
export async function removeDeadJobs({ queue }: Pick<Deps, 'queue'>, tx: Transaction, messageIds: string[]): Promise<void> {
  if (messageIds.length === 0) return
  const dead = await findDeadJobs(queue, messageIds)
  const ids = dead.map(({ id }) => id)
  if (ids.length > 0) await queue.deleteJob(QUEUES.deadEvents, ids, { db: joining(tx) })
}

export type EndedReplays = { jobs: EventJob[]; status: 'done' | 'failed'; at: Date }

/** Tells the replays that wait for these jobs. The first job of an event has the event's id, and is nobody's replay. */
export async function endReplays({ db }: Pick<Deps, 'db'>, tx: Transaction, { jobs, status, at }: EndedReplays): Promise<void> {
  const ended = jobs.map((job) => ({ messageId: job.data.message_id, jobId: job.id })).filter(({ messageId, jobId }) => messageId !== jobId)
  if (ended.length > 0) await endEventReplays(tx, db.schema, { jobs: ended, status, at })
}
