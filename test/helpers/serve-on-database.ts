import type { Role } from '../../src/config.ts'
import { type Program, runSluice } from './run-program.ts'
import { OPERATOR_TOKEN, SECRET } from './start-test-gateway.ts'

export type ServeOptions = { databaseUrl: string; port?: number; role?: Role; env?: Record<string, string> }

/** A gateway as a process of its own on the given database. */
export function serveOnDatabase(options: ServeOptions): Program {
  return runSluice(['serve', '--role', options.role ?? 'all'], { env: environment(options) })
}

/** The retry delay belongs to the queue, so it takes effect when this has run. */
export async function migrateForQuickRetries(options: ServeOptions): Promise<void> {
  await using migration = runSluice(['migrate'], { env: environment(options) })
  const code = await migration.ended
  if (code !== 0) throw new Error(`migrate ended with ${code}:\n${migration.output()}`)
}

function environment({ databaseUrl, port = 0, env = {} }: ServeOptions): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    HOST: '127.0.0.1',
    PORT: String(port),
    STRIPE_WEBHOOK_SECRETS: `test=${SECRET}`,
    OPERATOR_TOKENS: `olga=${OPERATOR_TOKEN}`,
    JOB_RETRY_DELAY_SECONDS: '1',
    ...env,
  }
}
