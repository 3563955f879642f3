import { v7 as uuidv7 } from 'uuid'
import { insertAudit } from '../audit/audit-log.ts'
import { joining } from '../platform/queue.ts'
import { countEvents } from './count-events.ts'
import { type EventFilter, writeFilter } from './event-filter.ts'
import { QUEUES } from './event-jobs.ts'
import type { ReplayDeps, ReplayRequest } from './replay-event.ts'
import { insertReplay } from './replays-sql.ts'

export type ReplayPlan = { filter: EventFilter; ratePerSecond: number; request: ReplayRequest }

/** Queues what a filter matches now, little by little; what arrives later is not part of it. */
export async function startReplay({ db, queue }: ReplayDeps, { filter, ratePerSecond, request }: ReplayPlan): Promise<string> {
  const replayId = uuidv7()
  const end = filter.receivedTo && filter.receivedTo < request.at ? filter.receivedTo : request.at
  const bounded = { ...filter, receivedTo: end }
  const { matched } = await countEvents(db, bounded)
  const written = writeFilter(bounded)
  await db.transaction(async (tx) => {
    const { schema } = db
    await insertReplay(tx, schema, { replayId, kind: 'filter', status: 'running', filter: written, matched, ratePerSecond, request })
    await insertAudit(tx, schema, { ...request, action: 'replay.started', subject: { replay_id: replayId, filter: written, matched } })
    await queue.insert(QUEUES.runReplay, [{ data: { replay_id: replayId } }], { db: joining(tx) })
  })
  return replayId
}

/** What is queued already still runs. False where it is not running. */
export async function cancelReplay({ db }: ReplayDeps, replayId: string, request: ReplayRequest): Promise<boolean> {
  return db.transaction(async (tx) => {
    const { schema } = db
    const { rowCount } = await tx.query(
      `update ${schema}.replays set status = 'canceled', finished_at = $2 where replay_id = $1 and status = 'running'`,
      [replayId, request.at],
    )
    if (rowCount !== 1) return false
    await insertAudit(tx, schema, { ...request, action: 'replay.canceled', subject: { replay_id: replayId } })
    return true
  })
}
