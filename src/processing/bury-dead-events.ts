import { type ProcessEventJob, QUEUES } from '../events/event-jobs.ts'
import type { Deps } from './process-batch.ts'

const PAGE = 1000

/**
 * A job whose worker dies at its last attempt ends in the dead-letter queue without our handler: its event would look
 * as if it still waited. Marks such events dead; returns how many.
 */
export async function buryDeadEvents({ db, queue, logger, metrics, clock }: Deps): Promise<number> {
  let buried = 0
  for (let after: string | undefined; ; ) {
    const jobs = await queue.findJobs<ProcessEventJob>(QUEUES.deadEvents, { queued: true, limit: PAGE, ...(after && { after }) })
    const { rows } = await db.pool.query<{ message_id: string; correlation_id: string }>(
      `with stuck as (
         select message_id from ${db.schema}.webhook_events where message_id = any($1) and status = 'received' order by message_id for update
       )
       update ${db.schema}.webhook_events e set status = 'dead', reason = 'worker_lost', processed_at = $2
       from stuck where e.message_id = stuck.message_id returning e.message_id, e.correlation_id`,
      [jobs.map(({ data }) => data.message_id), clock()],
    )
    for (const ids of rows) logger.error('event.died', { ...ids, error: 'every worker that took it was lost' })
    metrics.deadEvents.inc(rows.length)
    buried += rows.length
    after = jobs.at(-1)?.id
    if (jobs.length < PAGE) return buried
  }
}
