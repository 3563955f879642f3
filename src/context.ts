import type { Config } from './config.ts'
import { createOneTimeLinks, type OneTimeLinks } from './console/one-time-links.ts'
import { type Backpressure, createBackpressure } from './events/backpressure.ts'
import { eventQueues } from './events/event-jobs.ts'
import { type Handlers, loadHandlers } from './handlers.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import type { TellChanges } from './orders/order.ts'
import { awaitDatabase } from './platform/await-database.ts'
import { createDatabase, type Database, quoteIdentifier } from './platform/database.ts'
import { describeError } from './platform/describe-error.ts'
import { StartError } from './platform/errors.ts'
import { createLogger, type Logger } from './platform/logger.ts'
import { applyMigrations, findMissingMigrations, withMigrationLock } from './platform/migrations.ts'
import { createQueue, migrateQueues, type Queue, updateQueues } from './platform/queue.ts'
import { within } from './platform/shutdown.ts'
import { createTellChanges } from './processing/tell-changes.ts'
import { createProviders, type Providers } from './providers/registry.ts'
import { createStripeProvider } from './providers/stripe/create-stripe-provider.ts'

/** What the doors work with. Built once, here; tests replace what stands at the edge. */
export type Context = {
  config: Config
  logger: Logger
  clock: () => Date
  db: Database
  queue: Queue
  /** Where pg-boss keeps its tables, quoted. */
  queueSchema: string
  backpressure: Backpressure
  metrics: Metrics
  /** Writes what others are told of changed orders, in the transaction that changes them. */
  tellChanges: TellChanges
  /** The shop's own code. */
  handlers: Handlers
  /** Sign somebody in to the console once, without a token. */
  oneTimeLinks: OneTimeLinks
  providers: Providers
  /** Stops the queue and closes the connections; jobs that do not end in time are handed back. */
  close(): Promise<void>
}

export type Overrides = Partial<Pick<Context, 'logger' | 'clock'>>

const QUEUE_STOP_TIMEOUT_MS = 1000
const DATABASE_CLOSE_TIMEOUT_MS = 1000
// Containers start in any order.
const DATABASE_WAIT_MS = 60_000
const QUEUE_POOL_MAX = 4
const POOLED_HINT = 'DATABASE_URL leads through a pooler, so the worker polls. Set DATABASE_DIRECT_URL past it and it is woken instead.'

/** Connects to a migrated database; throws a StartError that names what is missing. */
export async function createContext(config: Config, overrides: Overrides = {}): Promise<Context> {
  const logger = overrides.logger ?? createLogger(config.log)
  const clock = overrides.clock ?? (() => new Date())
  const { schema } = config.database
  const handlers = await loadHandlers(config.handlers)
  const { db, hasSessions } = await openDatabase(config, logger)
  const working = config.role !== 'api'
  if (working && !hasSessions) logger.warn('database.pooled', { hint: POOLED_HINT })
  const queue = createQueue(
    {
      url: config.database.directUrl ?? requireUrl(config),
      schema: queueSchema(schema),
      poolMax: QUEUE_POOL_MAX,
      instanceName: config.role,
      working,
      listening: working && hasSessions,
    },
    logger,
  )
  const jobSchema = quoteIdentifier(queueSchema(schema))
  const close = async () => {
    await queue
      .stop({ graceful: true, timeout: QUEUE_STOP_TIMEOUT_MS })
      .catch((error: unknown) => logger.error('queue.stop.failed', { error: describeError(error) }))
    // A transaction that still runs is rolled back by the server when the process ends.
    await within(DATABASE_CLOSE_TIMEOUT_MS, db.close())
  }
  try {
    await queue.start()
    if (working) await updateQueues(queue, eventQueues(config.jobs))
  } catch (error) {
    await close()
    throw error
  }
  return {
    config,
    logger,
    clock,
    db,
    queue,
    queueSchema: jobSchema,
    backpressure: createBackpressure({ db: db.pool, queueSchema: jobSchema, maxDepth: config.maxQueueDepth, logger }),
    metrics: createMetrics(db),
    tellChanges: createTellChanges({ config, db, handlers }),
    handlers,
    oneTimeLinks: createOneTimeLinks(clock),
    providers: createProviders([createStripeProvider(config.stripe)]),
    close,
  }
}

type OpenDatabase = { db: Database /** Whether the queue's connections keep a session, which LISTEN needs. */; hasSessions: boolean }

async function openDatabase(config: Config, logger: Logger): Promise<OpenDatabase> {
  const url = requireUrl(config)
  const { schema, poolMax, commitTimeoutMs, directUrl = url } = config.database
  const db = createDatabase({ url, schema, poolMax, timeoutMs: commitTimeoutMs })
  try {
    await awaitDatabase(db, logger, DATABASE_WAIT_MS)
    await checkMigrations(db, schema)
    const isPooled = await db.detectPooler()
    return { db, hasSessions: !isPooled || directUrl !== url }
  } catch (error) {
    await within(DATABASE_CLOSE_TIMEOUT_MS, db.close())
    throw error
  }
}

/** Brings Sluice's tables and the queue's up to date, one migrator at a time; returns the migrations it applied. */
export async function migrate(config: Config): Promise<string[]> {
  const url = config.database.directUrl ?? requireUrl(config)
  const { schema } = config.database
  return withMigrationLock(url, async () => {
    const applied = await applyMigrations({ url, schema })
    await migrateQueues({ url, schema: queueSchema(schema) }, eventQueues(config.jobs))
    return applied
  })
}

function queueSchema(schema: string): string {
  return `${schema}_queue`
}

async function checkMigrations(db: Database, schema: string): Promise<void> {
  const missing = await findMissingMigrations(db.pool, schema)
  if (missing.length > 0) throw new StartError([`The database lacks the migration ${missing.join(', ')}. Run: npm run migrate`])
}

function requireUrl({ database }: Config): string {
  if (!database.url) throw new Error('The embedded database has to be started before the context')
  return database.url
}
