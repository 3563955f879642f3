import { columns, type Queryable, type Transaction } from '../platform/database.ts'
import type { EventStatus, Reference } from './event.ts'

export type SettledEvent = { messageId: string; status: EventStatus; reason: string | null }

export async function settleEvents(tx: Transaction, schema: string, events: SettledEvent[], now: Date): Promise<void> {
  const values = columns(events, ({ messageId, status, reason }) => [messageId, status, reason])
  await tx.query(
    `update ${schema}.webhook_events e set status = i.status, reason = i.reason, processed_at = $4
     from unnest($1::uuid[], $2::text[], $3::text[]) as i(message_id, status, reason) where e.message_id = i.message_id`,
    [...values, now],
  )
}

export type Attempt = {
  messageId: string
  jobId: string
  attempt: number
  startedAt: Date
  finishedAt: Date
  outcome: 'succeeded' | 'failed'
  error: string | null
}

export async function insertAttempts(tx: Queryable, schema: string, attempts: Attempt[]): Promise<void> {
  const values = columns(attempts, (row) => [row.messageId, row.jobId, row.attempt, row.startedAt, row.finishedAt, row.outcome, row.error])
  await tx.query(
    `insert into ${schema}.event_attempts (message_id, job_id, attempt, started_at, finished_at, outcome, error)
     select * from unnest($1::uuid[], $2::uuid[], $3::int[], $4::timestamptz[], $5::timestamptz[], $6::text[], $7::text[])
     on conflict (job_id, attempt) do nothing`,
    values,
  )
}

export async function insertReferences(db: Queryable, schema: string, references: (Reference & { messageId: string })[]): Promise<void> {
  if (references.length === 0) return
  await db.query(
    `insert into ${schema}.event_references (message_id, kind, value)
     select * from unnest($1::uuid[], $2::text[], $3::text[]) on conflict do nothing`,
    columns(references, ({ messageId, kind, value }) => [messageId, kind, value]),
  )
}
