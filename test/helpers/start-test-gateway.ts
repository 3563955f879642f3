import type { Config } from '../../src/config.ts'
import { loadConfig, type Role } from '../../src/config.ts'
import { type Context, createContext, type Overrides } from '../../src/context.ts'
import { type Gateway, startGateway } from '../../src/gateway.ts'
import type { Logger } from '../../src/platform/logger.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

export const SECRET = 'whsec_test_0123456789abcdef'
export const OPERATOR_TOKEN = 'operator-token-operator-token-0001'
export const VIEWER_TOKEN = 'viewer-token-viewer-token-viewer-01'
export const SHOP_TOKEN = 'shop-token-shop-token-shop-token-01'

type LogLine = { level: string; event: string; fields: Record<string, unknown> }

export type TestGateway = {
  url: string
  context: Context
  database: TestDatabase
  /** Every log line of this gateway, in order. */
  logs: LogLine[]
  stop(): Promise<void>
}

export type TestOptions = { role?: Role; env?: Record<string, string>; overrides?: Overrides; database?: TestDatabase }

/** The whole gateway on a free port and a database of its own (or on the given one, for several processes' worth of gateways). */
export async function startTestGateway({
  role = 'all',
  env = {},
  overrides = {},
  database: given,
}: TestOptions = {}): Promise<TestGateway> {
  const database = given ?? (await createTestDatabase())
  const logs: LogLine[] = []
  const context = await createContext(testConfig(database.url, role, env), { logger: collectLogs(logs), ...overrides })
  const gateway: Gateway = await startGateway(context)
  return {
    url: `http://127.0.0.1:${gateway.port}`,
    context,
    database,
    logs,
    async stop() {
      await gateway.stop()
      if (!given) await database.drop()
    },
  }
}

export function testConfig(databaseUrl: string, role: Role, env: Record<string, string> = {}): Config {
  const defaults = {
    DATABASE_URL: databaseUrl,
    HOST: '127.0.0.1',
    PORT: '0',
    STRIPE_WEBHOOK_SECRETS: `test=${SECRET}`,
    OPERATOR_TOKENS: `olga=${OPERATOR_TOKEN}`,
    VIEWER_TOKENS: `vera=${VIEWER_TOKEN}`,
    SHOP_TOKENS: `shop=${SHOP_TOKEN}`,
    JOB_RETRY_DELAY_SECONDS: '1',
  }
  return loadConfig({ env: { ...defaults, ...env }, role })
}

function collectLogs(logs: LogLine[]): Logger {
  const write =
    (level: string) =>
    (event: string, fields: Record<string, unknown> = {}) => {
      logs.push({ level, event, fields })
    }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
