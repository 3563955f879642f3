import { type Db, type JobAttempt, type JobInsert, PgBoss, type QueueOptions, type WorkOptions } from 'pg-boss'
import type { Transaction } from './database.ts'
import { describeError } from './describe-error.ts'
import type { Logger } from './logger.ts'

export type { Job, JobResult } from 'pg-boss'
export type Queue = PgBoss

export type QueueConnection = {
  url: string
  schema: string
  poolMax: number
  instanceName: string
  /** Whether this process works jobs, and takes back those whose worker died. */
  working: boolean
  /** LISTEN needs a session, which a transaction pooler does not keep; without it the worker polls. */
  listening: boolean
}

export type QueueDefinition = { name: string; deadLetter: string; options: QueueOptions }

// A worker that dies is noticed after three missed beats of 10 s at the latest; a monitor pass takes its jobs back.
export const JOB_HEARTBEAT_SECONDS = 10
const MONITOR_SECONDS = 5

// A week is shown, and the day on which it began.
const STATISTICS_DAYS = 8

/** Jobs that wait must outlive any outage: pg-boss deletes waiting jobs after 14 days unless told otherwise. */
export const JOB_RETENTION_SECONDS = 10 * 365 * 86_400

export function createQueue(connection: QueueConnection, logger: Logger): Queue {
  const queue = new PgBoss({
    connectionString: connection.url,
    schema: connection.schema,
    max: connection.poolMax,
    application_name: 'sluice-queue',
    instanceName: connection.instanceName,
    migrate: false,
    createSchema: false,
    useListenNotify: connection.listening,
    supervise: connection.working,
    schedule: connection.working,
    monitorIntervalSeconds: MONITOR_SECONDS,
    superviseIntervalSeconds: MONITOR_SECONDS,
    // Supervising processes write them; the others only read them.
    persistQueueStats: true,
    queueStatRetentionDays: STATISTICS_DAYS,
  })
  queue.on('error', (error) => logger.error('queue.failed', { error: describeError(error) }))
  queue.on('warning', ({ message }) => logger.warn('queue.warned', { message }))
  return queue
}

/** Makes or brings up to date pg-boss's tables and the queues. */
export async function migrateQueues(connection: Pick<QueueConnection, 'url' | 'schema'>, definitions: QueueDefinition[]): Promise<void> {
  const queue = new PgBoss({
    connectionString: connection.url,
    schema: connection.schema,
    max: 2,
    supervise: false,
    schedule: false,
    registerInstance: false,
  })
  queue.on('error', () => {})
  await queue.start()
  try {
    for (const definition of definitions) await defineQueue(queue, definition)
  } finally {
    await queue.stop({ graceful: false })
  }
}

async function defineQueue(queue: Queue, definition: QueueDefinition): Promise<void> {
  await queue.createQueue(definition.deadLetter, { retentionSeconds: JOB_RETENTION_SECONDS })
  await queue.createQueue(definition.name, { ...definition.options, deadLetter: definition.deadLetter, notify: true })
  await updateQueues(queue, [definition])
}

/** Applies the configured options to queues that are there; they hold for jobs from then on. */
export async function updateQueues(queue: Queue, definitions: QueueDefinition[]): Promise<void> {
  for (const { name, deadLetter, options } of definitions) await queue.updateQueue(name, { ...options, deadLetter })
}

/** Makes a call of pg-boss join our transaction: `queue.insert(name, jobs, { db: joining(tx) })`. */
export function joining(tx: Transaction): Db {
  return { executeSql: (text, values) => tx.query(text, values as unknown[]) }
}

/** Inserts jobs as the last statement of a transaction: returns when the statement is on its way. */
export async function insertLast(queue: Queue, tx: Transaction, name: string, jobs: JobInsert[]): Promise<void> {
  const { promise: isSent, resolve: tellSent } = Promise.withResolvers<void>()
  const inserted = queue.insert(name, jobs, {
    db: {
      executeSql: (text, values) => {
        const result = tx.query(text, values as unknown[])
        tellSent()
        return result
      },
    },
  })
  tx.sendLast(inserted)
  await Promise.race([isSent, inserted])
}

/**
 * Fails a job whatever attempts it has left, so that it goes to the dead-letter queue; false where the job is no longer ours.
 * pg-boss's own `deadletter` result does the same, but in a transaction of its own.
 */
export async function failForGood(
  queue: Queue,
  tx: Transaction,
  name: string,
  { job, output }: { job: JobAttempt; output: object },
): Promise<boolean> {
  const db = joining(tx)
  const { affected } = (await queue.fail(name, job, output, { db })) as { affected: number }
  // It waits for a retry, unless that was its last: with no attempt left, another failure is the end.
  const { updated } = affected === 1 ? await queue.update(name, undefined, { id: job.id, retryLimit: job.retryCount, db }) : { updated: 0 }
  if (updated === 1) await queue.fail(name, job.id, output, { db })
  return affected === 1
}

/** LISTEN wakes the worker; the polls only catch what a lost connection missed. */
export const WORK_OPTIONS = {
  perJobResults: true,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 0.5,
  notifyPollingIntervalSeconds: 2,
} as const satisfies WorkOptions
