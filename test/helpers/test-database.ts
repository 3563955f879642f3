import { randomBytes } from 'node:crypto'
import pg from 'pg'

export const TEMPLATE = 'sluice_template'

export type TestDatabase = { url: string; drop(): Promise<void> }

/** A database of the caller's own without a row, copied from the migrated template. */
export async function createTestDatabase({ isMigrated = true } = {}): Promise<TestDatabase> {
  const server = process.env.TEST_POSTGRES_URL
  if (!server) throw new Error('The test server is not running: start tests with npm test')
  const name = `test_${randomBytes(6).toString('hex')}`
  await runOn(server, `create database ${name} template ${isMigrated ? TEMPLATE : 'template1'}`)
  return {
    url: databaseUrl(server, name),
    drop: () => runOn(server, `drop database if exists ${name} with (force)`),
  }
}

export async function runOn(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

export function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
