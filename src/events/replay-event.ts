import { v7 as uuidv7 } from 'uuid'
import { type AuditRequest, insertAudit } from '../audit/audit-log.ts'
import type { Database } from '../platform/database.ts'
import { joining, type Queue } from '../platform/queue.ts'
import { QUEUES, toReplayJob } from './event-jobs.ts'
import { insertEventReplays, insertReplay } from './replays-sql.ts'

export type ReplayDeps = { db: Database; queue: Queue }
/** A replay is asked for with a reason. */
export type ReplayRequest = AuditRequest & { reason: string }

/** Queues one event to be processed again, whatever its status; facts that were applied before change nothing. */
export async function replayEvent(
  { db, queue }: ReplayDeps,
  messageId: string,
  request: ReplayRequest,
): Promise<{ replayId: string; jobId: string }> {
  const replayId = uuidv7()
  const job = toReplayJob({ messageId, correlationId: request.correlationId, replayId })
  await db.transaction(async (tx) => {
    const { schema } = db
    await insertReplay(tx, schema, { replayId, kind: 'event', status: 'queued', filter: null, matched: 1, ratePerSecond: 0, request })
    await insertEventReplays(tx, schema, { replayId, rows: [{ messageId, jobId: job.id }], at: request.at })
    await insertAudit(tx, schema, { ...request, action: 'event.replayed', subject: { message_id: messageId, replay_id: replayId } })
    await queue.insert(QUEUES.processEvent, [job], { db: joining(tx) })
  })
  return { replayId, jobId: job.id }
}
