import type { Database, Transaction } from '../platform/database.ts'
import { joining, type Queue } from '../platform/queue.ts'
import { readFilter, type WrittenFilter } from './event-filter.ts'
import { QUEUES, type RunReplayJob, toReplayJob } from './event-jobs.ts'
import { selectIds } from './list-events.ts'
import { insertEventReplays } from './replays-sql.ts'

type Deps = { db: Database; queue: Queue; clock: () => Date }
type Running = {
  replay_id: string
  filter: WrittenFilter
  position: string | null
  rate_per_second: number
  correlation_id: string
}

const SECONDS_A_STEP = 1

/**
 * Queues the next events of a replay, as many as a second may have, and its own next step; in one transaction, so that a
 * worker that dies between two steps leaves nothing undone and nothing twice.
 */
export async function runReplayStep({ db, queue, clock }: Deps, { replay_id: replayId }: RunReplayJob): Promise<void> {
  await db.transaction(async (tx) => {
    const replay = await lockRunning(tx, db.schema, replayId)
    if (!replay) return
    const messageIds = await findNext(tx, db.schema, replay)
    const jobs = messageIds.map((messageId) => toReplayJob({ messageId, replayId, correlationId: replay.correlation_id }))
    if (jobs.length > 0) {
      const rows = jobs.map((job) => ({ messageId: job.data.message_id, jobId: job.id }))
      await insertEventReplays(tx, db.schema, { replayId, rows, at: clock() })
      await queue.insert(QUEUES.processEvent, jobs, { db: joining(tx) })
    }
    const isLast = messageIds.length < replay.rate_per_second * SECONDS_A_STEP
    await tx.query(`update ${db.schema}.replays set position = coalesce($2, position), status = $3 where replay_id = $1`, [
      replayId,
      messageIds.at(-1) ?? null,
      isLast ? 'queued' : 'running',
    ])
    if (!isLast) await queue.insert(QUEUES.runReplay, [{ data: { replay_id: replayId }, startAfter: SECONDS_A_STEP }], { db: joining(tx) })
  })
}

async function lockRunning(tx: Transaction, schema: string, replayId: string): Promise<Running | undefined> {
  const { rows } = await tx.query<Running>(
    `select replay_id, filter, position, rate_per_second, correlation_id from ${schema}.replays
     where replay_id = $1 and status = 'running' for update`,
    [replayId],
  )
  return rows[0]
}

async function findNext(tx: Transaction, schema: string, { filter, position, rate_per_second: rate }: Running): Promise<string[]> {
  const page = { filter: readFilter(filter), limit: rate * SECONDS_A_STEP, ...(position !== null && { before: position }) }
  const { text, values } = selectIds(schema, page)
  const { rows } = await tx.query<{ message_id: string }>(text, values)
  return rows.map((row) => row.message_id)
}
