import { columns, type Queryable, type Transaction } from '../platform/database.ts'
import type { ReplayRequest } from './replay-event.ts'

type ReplayKind = 'event' | 'filter' | 'redrive'
/** `running`: more of it is to be queued. `queued`: all of it is, and waits to be processed. */
type ReplayStatus = 'running' | 'queued' | 'canceled'

type NewReplay = {
  replayId: string
  kind: ReplayKind
  status: ReplayStatus
  filter: object | null
  matched: number
  ratePerSecond: number
  request: ReplayRequest
}

export async function insertReplay(tx: Transaction, schema: string, replay: NewReplay): Promise<void> {
  const { replayId, kind, status, filter, matched, ratePerSecond, request } = replay
  await tx.query(
    `insert into ${schema}.replays (replay_id, kind, status, filter, matched, rate_per_second, requested_by, reason, correlation_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      replayId,
      kind,
      status,
      filter && JSON.stringify(filter),
      matched,
      ratePerSecond,
      request.actor,
      request.reason,
      request.correlationId,
      request.at,
    ],
  )
}

type NewEventReplays = { replayId: string; rows: { messageId: string; jobId: string | null }[]; at: Date }

export async function insertEventReplays(tx: Transaction, schema: string, { replayId, rows, at }: NewEventReplays): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    `insert into ${schema}.event_replays (replay_id, message_id, job_id, status, queued_at)
     select $3, message_id, job_id, 'queued', $4 from unnest($1::uuid[], $2::uuid[]) as i(message_id, job_id) on conflict do nothing`,
    [...columns(rows, ({ messageId, jobId }) => [messageId, jobId]), replayId, at],
  )
}

export type EndedJob = { messageId: string; jobId: string }

/** What these jobs were queued for has come to its end; a dead event that went back to its queue is known by its event. */
export async function endEventReplays(
  tx: Queryable,
  schema: string,
  { jobs, status, at }: { jobs: EndedJob[]; status: 'done' | 'failed'; at: Date },
): Promise<void> {
  await tx.query(
    `update ${schema}.event_replays r set status = $3, finished_at = $4
     from unnest($1::uuid[], $2::uuid[]) as i(message_id, job_id)
     where r.message_id = i.message_id and (r.job_id = i.job_id or r.job_id is null) and r.status = 'queued'`,
    [...columns(jobs, ({ messageId, jobId }) => [messageId, jobId]), status, at],
  )
}
