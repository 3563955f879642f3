import type { Database, Transaction } from '../platform/database.ts'
import { columns, retryConflicts } from '../platform/database.ts'
import { sqlState, UnavailableError } from '../platform/errors.ts'
import { insertLast, joining, type Queue } from '../platform/queue.ts'
import type { Delivery, RecordOutcome } from './event.ts'
import { QUEUES, toProcessAgainJob, toProcessJob } from './event-jobs.ts'
import { type FoldedDelivery, foldRepeats, keyOf } from './fold-deliveries.ts'

export type RecordDeps = { db: Database; queue: Queue }

/** An UnavailableError for a delivery that could not be stored: the provider has to send it again. */
export type RecordResult = RecordOutcome | UnavailableError

/**
 * Stores each event once, with its job, in one transaction; returns a result for each delivery, in their order.
 * When it returns an outcome, the event is on disk. Where it could not tell or could not commit, the second time
 * is a duplicate if the first was committed after all.
 */
export async function recordEvents(deps: RecordDeps, deliveries: Delivery[]): Promise<RecordResult[]> {
  try {
    return toOutcomes(deliveries, await commit(deps, foldRepeats(deliveries)))
  } catch (error) {
    if (isRowError(error) && deliveries.length > 1) return recordOneByOne(deps, deliveries)
    const unavailable = new UnavailableError('Could not store the event. Send it again.', { cause: error, code: 'storage_unavailable' })
    return deliveries.map(() => unavailable)
  }
}

/** One delivery that the database refuses must not fail its neighbours. */
async function recordOneByOne(deps: RecordDeps, deliveries: Delivery[]): Promise<RecordResult[]> {
  const results: RecordResult[] = []
  for (const delivery of deliveries) results.push(...(await recordEvents(deps, [delivery])))
  return results
}

function commit(deps: RecordDeps, folded: FoldedDelivery[]): Promise<Map<string, Stored>> {
  return retryConflicts(() => deps.db.transaction((tx) => store(deps, tx, folded)))
}

type Stored = { messageId: string; isNew: boolean }

async function store({ db, queue }: RecordDeps, tx: Transaction, folded: FoldedDelivery[]): Promise<Map<string, Stored>> {
  const newIds = await insertEvents(tx, db.schema, folded)
  const fresh = folded.filter(({ delivery }) => newIds.has(delivery.messageId))
  const known = folded.filter(({ delivery }) => !newIds.has(delivery.messageId))
  const stored = new Map(fresh.map(({ key, delivery }) => [key, { messageId: delivery.messageId, isNew: true }]))

  if (fresh.length > 0) {
    const jobs = fresh.map(({ delivery }) => toProcessJob(delivery))
    await insertLast(queue, tx, QUEUES.processEvent, jobs)
  }
  if (known.length > 0) {
    for (const row of await countDuplicates(tx, db.schema, known)) stored.set(keyOf(row), { messageId: row.messageId, isNew: false })
  }
  const withNewBody = await insertFurtherBodies(tx, db.schema, folded, stored)
  if (withNewBody.length > 0) await queue.insert(QUEUES.processEvent, withNewBody.map(toProcessAgainJob), { db: joining(tx) })
  return stored
}

// "is true" keeps the sub-select a hash: as a join, PostgreSQL guesses few rows and compares each with each.
async function insertEvents(tx: Transaction, schema: string, folded: FoldedDelivery[]): Promise<Set<string>> {
  const { bytes, slices } = concatenate(folded.map(({ delivery }) => delivery.body))
  const rows = folded.map((row, index) => ({ ...row, slice: slices[index] as Slice }))
  const values = columns(rows, ({ delivery, copies, lastReceivedAt, slice }) => [
    delivery.messageId,
    delivery.provider,
    delivery.eventId,
    delivery.type,
    delivery.account,
    delivery.livemode,
    delivery.apiVersion,
    delivery.occurredAt,
    delivery.receivedAt,
    delivery.secretName,
    delivery.correlationId,
    copies - 1,
    copies > 1 ? lastReceivedAt : null,
    slice.start,
    slice.length,
  ])
  const { rows: inserted } = await tx.query<{ message_id: string }>(
    `with incoming as (
       select * from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bool[], $8::text[], $9::timestamptz[],
         $10::timestamptz[], $11::text[], $12::text[], $13::int[], $14::timestamptz[], $15::int[], $16::int[])
       as i(message_id, provider, event_id, type, account, livemode, api_version, occurred_at,
         received_at, secret_name, correlation_id, duplicate_count, last_duplicate_at, body_start, body_length)
     ), stored as (
       insert into ${schema}.webhook_events (message_id, provider, event_id, type, account, livemode, api_version, occurred_at,
         received_at, secret_name, correlation_id, duplicate_count, last_duplicate_at)
       select message_id, provider, event_id, type, account, livemode, api_version, occurred_at,
         received_at, secret_name, correlation_id, duplicate_count, last_duplicate_at from incoming
       on conflict (event_id, provider) do nothing
       returning message_id
     ), bodies as (
       insert into ${schema}.event_bodies (message_id, api_version, body, received_at)
       select message_id, coalesce(api_version, ''), substring($1::bytea from body_start for body_length), received_at
       from incoming where (message_id in (select message_id from stored)) is true
     )
     select message_id from stored`,
    [bytes, ...values],
  )
  return new Set(inserted.map((row) => row.message_id))
}

type KnownRow = { messageId: string; provider: string; eventId: string }

/** Rows are locked in the order of their ids, which the worker keeps to as well. */
async function countDuplicates(tx: Transaction, schema: string, known: FoldedDelivery[]): Promise<KnownRow[]> {
  const values = columns(known, ({ delivery, copies, lastReceivedAt }) => [delivery.provider, delivery.eventId, copies, lastReceivedAt])
  const { rows } = await tx.query<KnownRow>(
    `with incoming as (
       select * from unnest($1::text[], $2::text[], $3::int[], $4::timestamptz[]) as i(provider, event_id, copies, received_at)
     ), locked as materialized (
       select e.message_id, i.copies, i.received_at from ${schema}.webhook_events e join incoming i using (event_id, provider)
       order by e.message_id for update of e
     )
     update ${schema}.webhook_events e
     set duplicate_count = e.duplicate_count + l.copies, last_duplicate_at = greatest(e.last_duplicate_at, l.received_at)
     from locked l where l.message_id = e.message_id
     returning e.message_id as "messageId", e.provider, e.event_id as "eventId"`,
    values,
  )
  return rows
}

/**
 * An upgrade of API versions delivers one id in two shapes; the second can hold what the first lacks.
 * Returns the deliveries whose body is new, which have to be processed again.
 */
async function insertFurtherBodies(
  tx: Transaction,
  schema: string,
  folded: FoldedDelivery[],
  stored: Map<string, Stored>,
): Promise<Delivery[]> {
  const further = folded.flatMap(({ key, delivery, otherVersions }) => {
    const at = stored.get(key)
    if (!at) return []
    const deliveries = at.isNew ? otherVersions : [delivery, ...otherVersions]
    return deliveries.map((candidate) => ({ ...candidate, messageId: at.messageId }))
  })
  const inserted: Delivery[] = []
  for (const delivery of further) {
    const { messageId, apiVersion, body, receivedAt } = delivery
    const { rowCount } = await tx.query(
      `insert into ${schema}.event_bodies (message_id, api_version, body, received_at)
       select $1, $2, $3, $4 where not exists (select from ${schema}.event_bodies where message_id = $1 and api_version = $2)
       on conflict do nothing`,
      [messageId, apiVersion ?? '', body, receivedAt],
    )
    if (rowCount === 1) inserted.push(delivery)
  }
  return inserted
}

type Slice = { start: number; length: number }

/** One binary parameter for all bodies: arrays of bytea would be sent as hexadecimal text, twice the size. */
function concatenate(bodies: Buffer[]): { bytes: Buffer; slices: Slice[] } {
  let start = 1
  const slices = bodies.map(({ length }) => {
    const slice = { start, length }
    start += length
    return slice
  })
  return { bytes: Buffer.concat(bodies), slices }
}

function toOutcomes(deliveries: Delivery[], stored: Map<string, Stored>): RecordOutcome[] {
  return deliveries.map((delivery) => {
    const at = stored.get(keyOf(delivery))
    if (!at) throw new Error('An event was neither stored nor found')
    const isFirst = at.isNew && at.messageId === delivery.messageId
    return { kind: isFirst ? 'accepted' : 'duplicate', eventId: delivery.eventId, messageId: at.messageId, jobId: at.messageId }
  })
}

/** Data exceptions, constraint violations and limits: the row is at fault, not the database. */
function isRowError(error: unknown): boolean {
  return /^(22|23|54)/.test(sqlState(error) ?? '')
}
