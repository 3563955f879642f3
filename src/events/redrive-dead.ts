import { v7 as uuidv7 } from 'uuid'
import { insertAudit } from '../audit/audit-log.ts'
import type { Database } from '../platform/database.ts'
import { joining, type Queue } from '../platform/queue.ts'
import { type ProcessEventJob, QUEUES } from './event-jobs.ts'
import type { ReplayDeps, ReplayRequest } from './replay-event.ts'
import { insertEventReplays, insertReplay } from './replays-sql.ts'

const PAGE = 1000

export type DeadJob = { id: string; messageId: string }

/** The jobs in the dead-letter queue, all or those of these events. */
export async function findDeadJobs(queue: Queue, messageIds?: string[]): Promise<DeadJob[]> {
  const wanted = messageIds && new Set(messageIds)
  const dead: DeadJob[] = []
  for (let after: string | undefined; ; ) {
    const jobs = await queue.findJobs<ProcessEventJob>(QUEUES.deadEvents, { queued: true, limit: PAGE, ...(after && { after }) })
    for (const { id, data } of jobs) if (!wanted || wanted.has(data.message_id)) dead.push({ id, messageId: data.message_id })
    after = jobs.at(-1)?.id
    if (jobs.length < PAGE) return dead
  }
}

/** Moves dead jobs back to where they came from; their events wait to be processed again. */
export async function redriveDead({ db, queue }: ReplayDeps, dead: DeadJob[], request: ReplayRequest): Promise<string> {
  const replayId = uuidv7()
  const messageIds = dead.map(({ messageId }) => messageId)
  await db.transaction(async (tx) => {
    const { schema } = db
    await awaken(tx, schema, messageIds)
    await insertReplay(tx, schema, {
      replayId,
      kind: 'redrive',
      status: 'queued',
      filter: null,
      matched: dead.length,
      ratePerSecond: 0,
      request,
    })
    await insertEventReplays(tx, schema, { replayId, rows: messageIds.map((messageId) => ({ messageId, jobId: null })), at: request.at })
    await insertAudit(tx, schema, { ...request, action: 'dead.redriven', subject: { replay_id: replayId, matched: dead.length } })
    for (let from = 0; from < dead.length; from += PAGE) {
      const ids = dead.slice(from, from + PAGE).map(({ id }) => id)
      await queue.redrive(QUEUES.deadEvents, { ids, limit: PAGE, db: joining(tx) })
    }
  })
  return replayId
}

/** Rows are locked in the order of their ids, which whoever locks several keeps to. */
async function awaken(tx: Parameters<Parameters<Database['transaction']>[0]>[0], schema: string, messageIds: string[]): Promise<void> {
  await tx.query(
    `with dead as (
       select message_id from ${schema}.webhook_events where message_id = any($1) and status = 'dead' order by message_id for update
     )
     update ${schema}.webhook_events e set status = 'received', reason = null, processed_at = null
     from dead where e.message_id = dead.message_id`,
    [messageIds],
  )
}
