import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts'
import { databaseUrl, runOn, TEMPLATE } from './test-database.ts'

declare global {
  var testPostgres: EmbeddedPostgres | undefined
}

/** One server for the whole run, and on it a migrated database that is the template of every test's own. */
export default async function globalSetup(): Promise<void> {
  const postgres = await startEmbeddedPostgres({ dataDir: await mkdtemp(join(tmpdir(), 'sluice-test-')), durable: false })
  globalThis.testPostgres = postgres
  process.env.TEST_POSTGRES_URL = postgres.url
  await runOn(postgres.url, `create database ${TEMPLATE}`)
  const env = { ...process.env, DATABASE_URL: databaseUrl(postgres.url, TEMPLATE) }
  await promisify(execFile)(process.execPath, ['src/main.ts', 'migrate'], { env })
}
