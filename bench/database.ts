import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { loadConfig } from '../src/config.ts'
import { migrate } from '../src/context.ts'
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts'
import type { Cleanup } from './cleanup.ts'

export type BenchDatabase = { url: string; query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>; drop(): Promise<void> }

export type DatabaseServer = {
  version: string
  settings: Record<string, string>
  /** A migrated, empty database of the caller's own. */
  createDatabase(): Promise<BenchDatabase>
}

const TEMPLATE = 'bench_template'
const REPORTED_SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'track_commit_timestamp']

/** A temporary PostgreSQL with durable settings, and on it the migrated template of every round's database. */
export async function startDatabaseServer(folder: string, cleanup: Cleanup): Promise<DatabaseServer> {
  const dataDir = join(folder, 'postgres')
  let starting = startEmbeddedPostgres({ dataDir })
  cleanup.add(async () => (await starting).destroy())
  // The moment of a commit is what "applied" is measured by; the setting takes a restart.
  const first = await starting
  await withClient(first.url, (client) => client.query('alter system set track_commit_timestamp = on'))
  await first.stop()
  starting = startEmbeddedPostgres({ dataDir })
  const server = await starting
  return withClient(server.url, async (client) => {
    await client.query(`create database ${TEMPLATE}`)
    await migrate(loadConfig({ env: { DATABASE_URL: databaseUrl(server.url, TEMPLATE) }, role: 'worker' }))
    const { rows } = await client.query<{ name: string; setting: string }>(
      `select name, current_setting(name) as setting from pg_settings where name = any($1)`,
      [[...REPORTED_SETTINGS, 'server_version']],
    )
    const { server_version: version = '', ...settings } = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
    return { version, settings, createDatabase: () => createDatabase(server.url) }
  })
}

async function createDatabase(serverUrl: string): Promise<BenchDatabase> {
  const name = `bench_${randomBytes(6).toString('hex')}`
  await withClient(serverUrl, async (client) => {
    await client.query(`create database ${name} template ${TEMPLATE}`)
    // What the last round left to write must not be written during this one.
    await client.query('checkpoint')
  })
  const url = databaseUrl(serverUrl, name)
  return {
    url,
    query: (sql) => withClient(url, async (client) => (await client.query(sql)).rows),
    drop: () => withClient(serverUrl, async (client) => void (await client.query(`drop database if exists ${name} with (force)`))),
  }
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  // A server that is stopped under us fails the query, and that is how we hear of it.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
