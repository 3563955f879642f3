import { createHash } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient } from '../generated/prisma/client.ts'
import { isConflict, sqlState } from './errors.ts'

export type DatabaseOptions = {
  url: string
  schema: string
  poolMax: number
  timeoutMs: number
}

/** What runs SQL: the pool, or one connection inside a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>
/** A connection inside a transaction; functions that must join one take it as `tx`. */
export type Transaction = Queryable & {
  /** A statement that is on its way and whose result the work does not need: the commit goes out right behind it. */
  sendLast(sent: Promise<unknown>): void
}

/**
 * One pool for everything: Prisma reads through it, and what is written at speed or under locks is SQL
 * on a connection of it. Statements name the schema, since a transaction pooler keeps no search_path.
 */
export type Database = {
  pool: pg.Pool
  prisma: PrismaClient
  schema: string
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Whether a pooler answers in the server's place. Statements are prepared after this has found none, not before. */
  detectPooler(): Promise<boolean>
  close(): Promise<void>
}

export function createDatabase(options: DatabaseOptions): Database {
  const { schema, timeoutMs } = options
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolMax,
    connectionTimeoutMillis: timeoutMs,
    // The client's own limit, for a network that swallows packets: the server cannot report that.
    query_timeout: timeoutMs * 2,
    keepAlive: true,
    // Statements that do not wait for each other's result go out together.
    pipeline: true,
    application_name: 'sluice',
  })
  // An idle connection that breaks is dropped by the pool; without a listener it would end the process.
  pool.on('error', () => {})
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema }) })

  let prepare = unprepared

  return {
    pool,
    prisma,
    schema: quoteIdentifier(schema),
    transaction: (work) => inTransaction({ pool, timeoutMs, prepare }, work),
    async detectPooler() {
      const hasPooler = await isPooled(pool)
      prepare = hasPooler ? unprepared : createPreparer()
      return hasPooler
    },
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

/** A pooler gives its clients process ids of its own, by which they cancel; the server tells the real one. */
async function isPooled(pool: pg.Pool): Promise<boolean> {
  const client = (await pool.connect()) as pg.PoolClient & { processID: number }
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return rows[0]?.pid !== client.processID
  } finally {
    client.release()
  }
}

type TransactionOptions = { pool: pg.Pool; timeoutMs: number; prepare: Preparer }

async function inTransaction<T>({ pool, timeoutMs, prepare }: TransactionOptions, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  const onError = () => {}
  client.on('error', onError)
  let broken: unknown
  const sent: Promise<unknown>[] = []
  try {
    // A 2xx promises that the event is on disk, so the server's default for this setting must not decide.
    const begun = client.query(
      `begin; set local synchronous_commit = on; set local statement_timeout = ${timeoutMs}; set local lock_timeout = ${timeoutMs}`,
    )
    // Nobody waits for it yet; what follows fails as well if it does.
    begun.catch(() => {})
    sent.push(begun)
    const sendLast = (statement: Promise<unknown>) => {
      statement.catch(() => {})
      sent.push(statement)
    }
    const result = await work({ query: prepare(client), sendLast })
    // Behind a statement that failed, PostgreSQL turns the commit into a rollback; the statement's own error tells.
    await Promise.all([...sent, client.query('commit')])
    return result
  } catch (error) {
    const cause = sqlState(error) === IN_FAILED_TRANSACTION ? await findFirstFailure(sent) : undefined
    await client.query('rollback').catch((rollbackError: unknown) => {
      broken = rollbackError
    })
    throw cause ?? error
  } finally {
    client.off('error', onError)
    client.release(broken !== undefined)
  }
}

// Each time somebody else got further, so a few are enough however many work side by side.
const MAX_CONFLICTS = 5

/** Does a transaction anew where another one came first. */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let conflicts = 0; ; conflicts += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error) || conflicts === MAX_CONFLICTS) throw error
    }
  }
}

const IN_FAILED_TRANSACTION = '25P02'

/** Of statements that went out together, the first that failed says why; those behind it only say that it did. */
async function findFirstFailure(sent: Promise<unknown>[]): Promise<unknown> {
  const outcomes = await Promise.allSettled(sent)
  return outcomes.find((outcome) => outcome.status === 'rejected')?.reason
}

type Query = Transaction['query']
type Preparer = (client: pg.ClientBase) => Query

const unprepared: Preparer = (client) => client.query.bind(client) as Query

/**
 * Planning a statement costs as much as running it for a few rows, so what runs in transactions is prepared once on
 * each connection. The texts are few: they do not depend on the number of rows. Not through a pooler, which can hand
 * the next statement to a connection that never saw the preparation.
 */
function createPreparer(): Preparer {
  const names = new Map<string, string>()
  const nameOf = (text: string): string => {
    // Named by content: behind a pooler that went unnoticed, a name can still mean one statement only.
    const name = names.get(text) ?? `sluice_${createHash('sha1').update(text).digest('hex')}`
    names.set(text, name)
    return name
  }
  return (client) =>
    ((text: string, values?: unknown[]) => (values ? client.query({ name: nameOf(text), text, values }) : client.query(text))) as Query
}

export function quoteIdentifier(name: string): string {
  return pg.escapeIdentifier(name)
}

/** Turns rows into one array per column, for `unnest`: one statement text whatever the number of rows. */
export function columns<Row, Column extends unknown[]>(
  rows: Row[],
  toColumns: (row: Row) => [...Column],
): { [Index in keyof Column]: Column[Index][] } {
  const tuples = rows.map(toColumns)
  const width = tuples[0]?.length ?? 0
  return Array.from({ length: width }, (_, index) => tuples.map((tuple) => tuple[index])) as { [Index in keyof Column]: Column[Index][] }
}
