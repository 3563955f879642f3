import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { isDatabaseUrl } from './platform/database-url.ts'

const wholeNumber = ({ min, max }: { min: number; max: number }) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(min).max(max))

const number = ({ fallback, ...range }: { min: number; max: number; fallback: number }) => wholeNumber(range).default(fallback)

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)

const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, { error: 'must begin with postgresql://', abort: true })
  .refine(isDatabaseUrl, 'cannot be read: percent-encode / ? # @ : and % in the password, and look at the files that it names')

/** Every variable that Sluice reads, by its name in the environment. */
export const environmentSchema = z.object({
  NODE_ENV: z.string().optional(),
  PORT: number({ min: 0, max: 65_535, fallback: 3000 }),
  HOST: z.string().optional(),
  OPERATOR_PORT: wholeNumber({ min: 0, max: 65_535 }).optional(),
  TRUST_PROXY: z.string().optional().transform(parseTrustProxy),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_DIRECT_URL: databaseUrl.optional(),
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
  STRIPE_LIVEMODE: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  STRIPE_ACCOUNTS: list
    .pipe(z.array(z.string().regex(/^acct_[A-Za-z0-9]+$/, 'must be comma-separated acct_… ids')).min(1, 'must name at least one account'))
    .optional(),
  STRIPE_ORDER_KEYS: list.pipe(z.array(z.string()).min(1, 'must name at least one metadata key')).default(['order_id']),
  OPERATOR_TOKENS: z.string().optional(),
  VIEWER_TOKENS: z.string().optional(),
  SHOP_TOKENS: z.string().optional(),
  METRICS_TOKEN: z.string().min(32, 'must be at least 32 characters').optional(),
  MAX_BODY_BYTES: number({ min: 1024, max: 64 * 1024 * 1024, fallback: 1_048_576 }),
  MAX_INFLIGHT_BYTES: number({ min: 1_048_576, max: 4 * 1024 * 1024 * 1024, fallback: 67_108_864 }),
  MAX_QUEUE_DEPTH: number({ min: 1, max: 100_000_000, fallback: 100_000 }),
  HANDLERS: z.string().min(1).optional(),
  JOB_RETRY_LIMIT: number({ min: 0, max: 100, fallback: 12 }),
  JOB_RETRY_DELAY_SECONDS: number({ min: 1, max: 3600, fallback: 20 }),
  JOB_RETRY_DELAY_MAX_SECONDS: number({ min: 1, max: 86_400, fallback: 21_600 }),
  ORDER_WEBHOOK_URLS: z.string().optional(),
  ORDER_WEBHOOK_SECRET: z.string().optional(),
  ORDER_WEBHOOK_TIMEOUT_MS: number({ min: 100, max: 60_000, fallback: 15_000 }),
  ORDER_WEBHOOK_GIVE_UP_SECONDS: number({ min: 1, max: 30 * 86_400, fallback: 86_400 }),
  SHUTDOWN_DELAY_MS: number({ min: 0, max: 600_000, fallback: 0 }),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  LOG_FORMAT: z.enum(['pretty', 'json']).optional(),
})

export type Environment = z.infer<typeof environmentSchema>
const NAMES = Object.keys(environmentSchema.shape)

/** A value may stand in a file that `NAME_FILE` names. */
export function readEnvironment(env: NodeJS.ProcessEnv, problems: string[]): Record<string, string> {
  const given: Record<string, string> = {}
  for (const name of NAMES) {
    const file = env[`${name}_FILE`]
    const value = env[name]?.trim()
    const text = value || !file ? value : readSecretFile(`${name}_FILE`, file, problems)
    if (text === undefined) continue
    given[name] = text
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

/** Express's setting: true or false, a number of proxies, or names and ranges of proxies. */
function parseTrustProxy(value: string | undefined): boolean | number | string {
  if (value === undefined || value === 'false') return false
  if (value === 'true') return true
  return /^\d+$/.test(value) ? Number(value) : value
}
