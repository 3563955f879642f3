import { type Environment, environmentSchema, readEnvironment } from './config-environment.ts'
import { type NamedSecret, type NamedToken, parseSecrets, parseTokens } from './config-secrets.ts'
import { StartError } from './platform/errors.ts'

export { type NamedSecret, type NamedToken, sha256, type TokenRole } from './config-secrets.ts'
export type Role = 'all' | 'api' | 'worker'

export type Config = {
  role: Role
  production: boolean
  http: {
    port: number
    host: string
    trustProxy: boolean | number | string
    publicUrl?: string
    maxBodyBytes: number
    maxInflightBytes: number
    shutdownDelayMs: number
  }
  /** Without a URL the embedded PostgreSQL in `dataDir` is used. */
  database: { url?: string; directUrl?: string; schema: string; poolMax: number; commitTimeoutMs: number }
  dataDir: string
  stripe: { secrets: NamedSecret[]; orderKeys: string[] }
  tokens: NamedToken[]
  /** An operator's token that stands in the configuration as it is, for our own commands that ask the API. */
  operatorToken?: string
  jobs: { retryLimit: number; retryDelaySeconds: number; retryDelayMaxSeconds: number }
  log: { level: string; format: 'pretty' | 'json' }
}

export type LoadOptions = { env?: NodeJS.ProcessEnv; role?: Role; terminal?: boolean }

/** Reads the environment; throws a StartError that names every problem at once and shows no value. */
export function loadConfig({ env = process.env, role = 'all', terminal = process.stdout.isTTY === true }: LoadOptions = {}): Config {
  const problems: string[] = []
  const given = readEnvironment(env, problems)
  const parsed = environmentSchema.safeParse(given)
  if (!parsed.success) problems.push(...parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`))
  if (!parsed.success) throw new StartError(problems)

  const environment = parsed.data
  const stripeSecrets = collectSecrets(environment, problems)
  const tokens = collectTokens(environment, problems)
  const production = environment.NODE_ENV === 'production'
  problems.push(...findMissing({ environment, production, role, stripeSecrets, tokens }))
  if (problems.length > 0) throw new StartError(problems)
  return toConfig({ environment, role, production, stripeSecrets, tokens, terminal })
}

function collectSecrets(environment: Environment, problems: string[]): NamedSecret[] {
  const given = [
    ['STRIPE_WEBHOOK_SECRETS', environment.STRIPE_WEBHOOK_SECRETS],
    ['STRIPE_WEBHOOK_SECRET', environment.STRIPE_WEBHOOK_SECRET],
  ] as const
  return given.flatMap(([name, value]) => (value === undefined ? [] : parseSecrets(name, value, problems)))
}

function collectTokens(environment: Environment, problems: string[]): NamedToken[] {
  const given = [
    ['OPERATOR_TOKENS', 'operator', environment.OPERATOR_TOKENS],
    ['VIEWER_TOKENS', 'viewer', environment.VIEWER_TOKENS],
    ['SHOP_TOKENS', 'shop', environment.SHOP_TOKENS],
  ] as const
  return given.flatMap(([name, role, value]) => (value === undefined ? [] : parseTokens({ name, role, value, problems })))
}

type Given = { environment: Environment; production: boolean; role: Role; stripeSecrets: NamedSecret[]; tokens: NamedToken[] }

function findMissing({ environment, production, role, stripeSecrets, tokens }: Given): string[] {
  const embedded = environment.DATABASE_URL === undefined
  const missing: string[] = []
  if (embedded && production) missing.push('DATABASE_URL: required with NODE_ENV=production')
  if (role === 'worker' || (embedded && !production)) return missing
  const because = production ? 'with NODE_ENV=production' : 'with DATABASE_URL'
  const hasSecretProblem = environment.STRIPE_WEBHOOK_SECRETS !== undefined || environment.STRIPE_WEBHOOK_SECRET !== undefined
  const hasTokenProblem = environment.OPERATOR_TOKENS !== undefined
  if (stripeSecrets.length === 0 && !hasSecretProblem) missing.push(`STRIPE_WEBHOOK_SECRETS: required ${because}`)
  if (!tokens.some(({ role }) => role === 'operator') && !hasTokenProblem) missing.push(`OPERATOR_TOKENS: required ${because}`)
  return missing
}

function toConfig({ environment, role, production, stripeSecrets, tokens, terminal }: Given & { terminal: boolean }): Config {
  const embedded = environment.DATABASE_URL === undefined
  const directUrl = environment.DATABASE_DIRECT_URL ?? environment.DATABASE_URL
  return {
    role,
    production,
    http: {
      port: environment.PORT,
      host: environment.HOST ?? (embedded ? '127.0.0.1' : '0.0.0.0'),
      trustProxy: environment.TRUST_PROXY,
      ...(environment.PUBLIC_URL && { publicUrl: environment.PUBLIC_URL }),
      maxBodyBytes: environment.MAX_BODY_BYTES,
      maxInflightBytes: environment.MAX_INFLIGHT_BYTES,
      shutdownDelayMs: environment.SHUTDOWN_DELAY_MS,
    },
    database: {
      ...(environment.DATABASE_URL && { url: environment.DATABASE_URL }),
      ...(directUrl && { directUrl }),
      schema: environment.DATABASE_SCHEMA,
      poolMax: environment.DATABASE_POOL_MAX,
      commitTimeoutMs: environment.COMMIT_TIMEOUT_MS,
    },
    dataDir: environment.DATA_DIR,
    stripe: { secrets: stripeSecrets, orderKeys: environment.STRIPE_ORDER_KEYS },
    tokens,
    ...findOperatorToken(environment.OPERATOR_TOKENS),
    jobs: {
      retryLimit: environment.JOB_RETRY_LIMIT,
      retryDelaySeconds: environment.JOB_RETRY_DELAY_SECONDS,
      retryDelayMaxSeconds: environment.JOB_RETRY_DELAY_MAX_SECONDS,
    },
    log: { level: environment.LOG_LEVEL, format: environment.LOG_FORMAT ?? (terminal ? 'pretty' : 'json') },
  }
}

function findOperatorToken(list: string | undefined): { operatorToken?: string } {
  const texts = (list ?? '').split(',').map((item) => item.trim().replace(/^[^=]*=/, ''))
  const operatorToken = texts.find((text) => text !== '' && !text.startsWith('sha256:'))
  return operatorToken ? { operatorToken } : {}
}
