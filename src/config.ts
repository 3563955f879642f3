import { type Environment, environmentSchema, readEnvironment } from './config-environment.ts'
import { parseReceivers, type Receivers } from './config-order-webhooks.ts'
import { type NamedSecret, type NamedToken, parseSecrets, parseTokens } from './config-secrets.ts'
import { StartError } from './platform/errors.ts'

export { type NamedSecret, type NamedToken, sha256, type TokenRole } from './config-secrets.ts'
export type Role = 'all' | 'api' | 'worker'

export type Config = {
  role: Role
  production: boolean
  http: {
    port: number
    /** Serves everything but the webhooks apart, so that only they face the internet. */
    operatorPort?: number
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
  maxQueueDepth: number
  metricsToken?: string
  stripe: {
    secrets: NamedSecret[]
    orderKeys: string[]
    /** Events of the other mode are ignored; without it both count. */
    livemode?: boolean
    /** Connected accounts that are ours, events of others are parked; without it any is. */
    accounts?: string[]
  }
  /** Who is told of changes of orders; nothing is written for nobody. */
  orderWebhooks: Receivers & { timeoutMs: number; giveUpMs: number }
  /** A module of the shop's own, run in our transactions. */
  handlers?: string
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
  if (!parsed.success) problems.push(...parsed.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`))
  const secrets = collectSecrets(given, problems)
  const tokens = collectTokens(given, problems)
  const orderWebhooks = parseReceivers(given, problems)
  problems.push(...findMissing(given, role))
  if (!parsed.success || problems.length > 0) throw new StartError(problems)
  return toConfig({ environment: parsed.data, role, secrets, orderWebhooks, tokens, terminal })
}

type Given = Record<string, string>

function collectSecrets(given: Given, problems: string[]): NamedSecret[] {
  return ['STRIPE_WEBHOOK_SECRETS', 'STRIPE_WEBHOOK_SECRET'].flatMap((name) => {
    const value = given[name]
    return value === undefined ? [] : parseSecrets(name, value, problems)
  })
}

const TOKEN_ROLES = { OPERATOR_TOKENS: 'operator', VIEWER_TOKENS: 'viewer', SHOP_TOKENS: 'shop' } as const

function collectTokens(given: Given, problems: string[]): NamedToken[] {
  return Object.entries(TOKEN_ROLES).flatMap(([name, role]) => {
    const value = given[name]
    return value === undefined ? [] : parseTokens({ name, role, value, problems })
  })
}

/** On a laptop what is missing is made; elsewhere it has to be given. A worker needs neither secrets nor tokens. */
function findMissing(given: Given, role: Role): string[] {
  const production = given.NODE_ENV === 'production'
  const embedded = given.DATABASE_URL === undefined
  const missing = embedded && production ? ['DATABASE_URL: required with NODE_ENV=production'] : []
  if (role === 'worker' || (embedded && !production)) return missing
  const because = production ? 'with NODE_ENV=production' : 'with DATABASE_URL'
  if (given.STRIPE_WEBHOOK_SECRETS === undefined && given.STRIPE_WEBHOOK_SECRET === undefined)
    missing.push(`STRIPE_WEBHOOK_SECRETS: required ${because}`)
  if (given.OPERATOR_TOKENS === undefined) missing.push(`OPERATOR_TOKENS: required ${because}`)
  return missing
}

type Parsed = {
  environment: Environment
  role: Role
  secrets: NamedSecret[]
  orderWebhooks: Receivers
  tokens: NamedToken[]
  terminal: boolean
}

function toConfig({ environment, role, secrets, orderWebhooks, tokens, terminal }: Parsed): Config {
  const embedded = environment.DATABASE_URL === undefined
  const directUrl = environment.DATABASE_DIRECT_URL ?? environment.DATABASE_URL
  return {
    role,
    production: environment.NODE_ENV === 'production',
    http: {
      port: environment.PORT,
      ...(environment.OPERATOR_PORT !== undefined && { operatorPort: environment.OPERATOR_PORT }),
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
    maxQueueDepth: environment.MAX_QUEUE_DEPTH,
    ...(environment.HANDLERS && { handlers: environment.HANDLERS }),
    ...(environment.METRICS_TOKEN && { metricsToken: environment.METRICS_TOKEN }),
    stripe: {
      secrets,
      orderKeys: environment.STRIPE_ORDER_KEYS,
      ...(environment.STRIPE_LIVEMODE !== undefined && { livemode: environment.STRIPE_LIVEMODE }),
      ...(environment.STRIPE_ACCOUNTS && { accounts: environment.STRIPE_ACCOUNTS }),
    },
    orderWebhooks: {
      ...orderWebhooks,
      timeoutMs: environment.ORDER_WEBHOOK_TIMEOUT_MS,
      giveUpMs: environment.ORDER_WEBHOOK_GIVE_UP_SECONDS * 1000,
    },
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
