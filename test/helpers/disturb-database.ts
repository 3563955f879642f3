import pg from 'pg'
import { runOn, type TestDatabase } from './test-database.ts'

/** Breaks every connection to the database, as a failover does. */
export async function breakConnections(database: TestDatabase): Promise<void> {
  await runOnServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${nameOf(database)}'`)
}

/** The database takes no connections until `end` is called. */
export async function beginOutage(database: TestDatabase): Promise<{ end(): Promise<void> }> {
  await runOnServer(`alter database ${nameOf(database)} with allow_connections false`)
  await breakConnections(database)
  return { end: () => runOnServer(`alter database ${nameOf(database)} with allow_connections true`) }
}

/** Runs statements that take locks, and holds these until `release` is called. */
export async function holdLocks(database: TestDatabase, sql: string): Promise<{ release(): Promise<void> }> {
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

function nameOf({ url }: TestDatabase): string {
  return new URL(url).pathname.slice(1)
}
