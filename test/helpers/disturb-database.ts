import pg from 'pg'
import { runOn, type TestDatabase } from './test-database.ts'

type Database = Pick<TestDatabase, 'url'>

/** Breaks every connection to the database, as a failover does. */
export async function breakConnections({ url }: Database): Promise<void> {
  await runOn(url, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()')
}

/** The database takes no connections until `end` is called. */
export async function beginOutage(database: Database): Promise<{ end(): Promise<void> }> {
  const name = nameOf(database)
  await runOnServer(`alter database ${name} with allow_connections false`)
  await runOnServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  return { end: () => runOnServer(`alter database ${name} with allow_connections true`) }
}

/** Runs statements that take locks, and holds these until `release` is called. */
export async function holdLocks(database: Database, sql: string): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(`begin; ${sql}`)
  return {
    async release() {
      await client.query('rollback')
      await client.end()
    },
  }
}

async function runOnServer(sql: string): Promise<void> {
  await runOn(process.env.TEST_POSTGRES_URL ?? '', sql)
}

function nameOf({ url }: Database): string {
  return new URL(url).pathname.slice(1)
}
