import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type NamedSecret, type NamedToken, parseSecrets, parseTokens } from './config-secrets.ts'
import { StartError } from './platform/errors.ts'

export { type NamedSecret, type NamedToken, sha256, type TokenRole } from './config-secrets.ts'
export type Role = 'all' | 'api' | 'worker'

const number = (options: { min: number; max: number; fallback: number }) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(options.min).max(options.max))
    .default(options.fallback)

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)

/** Every variable that Sluice reads, by its name in the environment. */
const environmentSchema = z.object({
  NODE_ENV: z.string().optional(),
  PORT: number({ min: 0, max: 65_535, fallback: 3000 }),
  HOST: z.string().optional(),
  TRUST_PROXY: z.string().optional().transform(parseTrustProxy),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgresql://')
    .optional(),
  DATABASE_DIRECT_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgresql://')
    .optional(),
  DATABASE_SCHEMA: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,40}$/, 'must be lower-case letters, digits and _')
    .refine((name) => name !== 'public', 'must not be public')
    .default('sluice'),
  DATABASE_POOL_MAX: number({ min: 2, max: 500, fallback: 10 }),
  COMMIT_TIMEOUT_MS: number({ min: 100, max: 60_000, fallback: 5000 }),
  DATA_DIR: z.string().default('.data'),
  STRIPE_WEBHOOK_SECRETS: z.string().optional(),
  STRIPE_WEBHOOK_SECRET: z.string().optional(),
  STRIPE_ORDER_KEYS: list.pipe(z.array(z.string()).min(1, 'must name at least one metadata key')).default(['order_id']),
  OPERATOR_TOKENS: z.string().optional(),
  VIEWER_TOKENS: z.string().optional(),
  SHOP_TOKENS: z.string().optional(),
  MAX_BODY_BYTES: number({ min: 1024, max: 64 * 1024 * 1024, fallback: 1_048_576 }),
  MAX_INFLIGHT_BYTES: number({ min: 1_048_576, max: 4 * 1024 * 1024 * 1024, fallback: 67_108_864 }),
  JOB_RETRY_LIMIT: number({ min: 0, max: 100, fallback: 12 }),
  JOB_RETRY_DELAY_SECONDS: number({ min: 1, max: 3600, fallback: 20 }),
  JOB_RETRY_DELAY_MAX_SECONDS: number({ min: 1, max: 86_400, fallback: 21_600 }),
  SHUTDOWN_DELAY_MS: number({ min: 0, max: 600_000, fallback: 0 }),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  LOG_FORMAT: z.enum(['pretty', 'json']).optional(),
})

type Environment = z.infer<typeof environmentSchema>
const NAMES = Object.keys(environmentSchema.shape)

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

/** A value may stand in a file that `NAME_FILE` names. */
function readEnvironment(env: NodeJS.ProcessEnv, problems: string[]): Record<string, string> {
  const given: Record<string, string> = {}
  for (const name of NAMES) {
    const file = env[`${name}_FILE`]
    if (env[name] !== undefined) given[name] = env[name].trim()
    else if (file) given[name] = readSecretFile(`${name}_FILE`, file, problems) ?? ''
    // An empty line of an .env file means "not set", but an empty secret is a mistake that must be named.
    if (given[name] === '' && !/SECRET|TOKEN/.test(name)) delete given[name]
  }
  return given
}

function readSecretFile(name: string, file: string, problems: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    problems.push(`${name}: the file cannot be read (${(error as NodeJS.ErrnoException).code})`)
    return undefined
  }
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

/** Express's setting: true or false, a number of proxies, or names and ranges of proxies. */
function parseTrustProxy(value: string | undefined): boolean | number | string {
  if (value === undefined || value === 'false') return false
  if (value === 'true') return true
  return /^\d+$/.test(value) ? Number(value) : value
}
