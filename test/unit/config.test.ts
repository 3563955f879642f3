import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type LoadOptions, loadConfig } from '../../src/config.ts'
import { StartError } from '../../src/platform/errors.ts'

type Env = Record<string, string>

const TOKEN = 'token-token-token-token-token-32'
const SHA256 = createHash('sha256').update(TOKEN).digest('hex')
const PRODUCTION: Env = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgresql://sluice@db/sluice',
  STRIPE_WEBHOOK_SECRETS: 'whsec_abc',
  OPERATOR_TOKENS: `olga=${TOKEN}`,
}

function load(env: Env, options: Omit<LoadOptions, 'env'> = {}) {
  return loadConfig({ env, terminal: false, ...options })
}

function problemsOf(env: Env, options: Omit<LoadOptions, 'env'> = {}): string[] {
  try {
    load(env, options)
  } catch (error) {
    if (error instanceof StartError) return error.problems
    throw error
  }
  return []
}

describe('loadConfig', () => {
  it('has a default for everything when nothing is set', () => {
    const config = load({})

    expect(config).toEqual({
      role: 'all',
      production: false,
      http: { port: 3000, host: '127.0.0.1', trustProxy: false, maxBodyBytes: 1_048_576, maxInflightBytes: 67_108_864, shutdownDelayMs: 0 },
      database: { schema: 'sluice', poolMax: 10, commitTimeoutMs: 5000 },
      dataDir: '.data',
      maxQueueDepth: 100_000,
      stripe: { secrets: [], orderKeys: ['order_id'] },
      orderWebhooks: { urls: [], keys: [], timeoutMs: 15_000, giveUpMs: 86_400_000 },
      tokens: [],
      jobs: { retryLimit: 12, retryDelaySeconds: 20, retryDelayMaxSeconds: 21_600 },
      log: { level: 'info', format: 'json' },
    })
  })

  it('takes every variable from the environment', () => {
    const config = load({
      ...PRODUCTION,
      PORT: '8080',
      HOST: '10.0.0.1',
      TRUST_PROXY: '1',
      PUBLIC_URL: 'https://pay.example.com/',
      DATABASE_DIRECT_URL: 'postgres://sluice@direct/sluice',
      DATABASE_SCHEMA: 'ingress_2',
      DATABASE_POOL_MAX: '20',
      COMMIT_TIMEOUT_MS: '3000',
      DATA_DIR: '/var/lib/sluice',
      STRIPE_ORDER_KEYS: 'order_no, order_id',
      STRIPE_LIVEMODE: 'false',
      STRIPE_ACCOUNTS: 'acct_1, acct_2',
      MAX_BODY_BYTES: '2048',
      MAX_INFLIGHT_BYTES: '1048576',
      SHUTDOWN_DELAY_MS: '5000',
      LOG_LEVEL: 'debug',
      LOG_FORMAT: 'pretty',
    })

    expect(config).toMatchObject({
      production: true,
      http: {
        port: 8080,
        host: '10.0.0.1',
        trustProxy: 1,
        publicUrl: 'https://pay.example.com',
        maxBodyBytes: 2048,
        shutdownDelayMs: 5000,
      },
      database: { url: 'postgresql://sluice@db/sluice', directUrl: 'postgres://sluice@direct/sluice', schema: 'ingress_2', poolMax: 20 },
      dataDir: '/var/lib/sluice',
      stripe: { orderKeys: ['order_no', 'order_id'], livemode: false, accounts: ['acct_1', 'acct_2'] },
      log: { level: 'debug', format: 'pretty' },
    })
  })

  it('takes an empty variable for one that is not set, as an .env file has it', () => {
    const config = load({ PORT: '', HOST: ' ', DATABASE_URL: '', LOG_LEVEL: '', STRIPE_ORDER_KEYS: '', PUBLIC_URL: '' })

    expect(config).toEqual(load({}))
  })

  it('listens on every address when it has a database of its own', () => {
    const config = load({ ...PRODUCTION, NODE_ENV: '' })

    expect(config.http.host).toBe('0.0.0.0')
  })

  it('takes the direct connection from DATABASE_URL when it is not set', () => {
    const config = load(PRODUCTION)

    expect(config.database.directUrl).toBe('postgresql://sluice@db/sluice')
  })

  it('logs prettily on a terminal unless LOG_FORMAT says otherwise', () => {
    const formats = [load({}, { terminal: true }), load({ LOG_FORMAT: 'json' }, { terminal: true })].map(({ log }) => log.format)

    expect(formats).toEqual(['pretty', 'json'])
  })

  it.each([
    ['true', true],
    ['false', false],
    ['2', 2],
    ['loopback, 10.0.0.0/8', 'loopback, 10.0.0.0/8'],
  ])('gives TRUST_PROXY=%s to Express as it wants it', (value, trustProxy) => {
    const config = load({ TRUST_PROXY: value })

    expect(config.http.trustProxy).toBe(trustProxy)
  })

  it.each([
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3e3'],
    ['DATABASE_URL', 'mysql://root@db/shop'],
    ['DATABASE_DIRECT_URL', 'db.example.com'],
    ['DATABASE_URL', 'postgresql://sluice:a/password@db.example.com/shop'],
    ['DATABASE_URL', 'postgresql://db.example.com/shop?sslrootcert=/is/not/there'],
    ['DATABASE_SCHEMA', 'public'],
    ['DATABASE_SCHEMA', 'Sluice'],
    ['DATABASE_SCHEMA', 'a"; drop schema b; --'],
    ['DATABASE_POOL_MAX', '1'],
    ['COMMIT_TIMEOUT_MS', '0'],
    ['PUBLIC_URL', 'pay.example.com'],
    ['PUBLIC_URL', 'javascript:alert(1)'],
    ['STRIPE_ORDER_KEYS', ' , '],
    ['STRIPE_LIVEMODE', 'yes'],
    ['STRIPE_ACCOUNTS', 'acct_1, cus_1'],
    ['STRIPE_ACCOUNTS', ','],
    ['MAX_BODY_BYTES', '0'],
    ['MAX_INFLIGHT_BYTES', '1023'],
    ['SHUTDOWN_DELAY_MS', '1.5'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_FORMAT', 'xml'],
  ])('refuses to start by the name alone when %s is %s', (name, value) => {
    const problems = problemsOf({ [name]: value })

    expect(problems.filter((problem) => !/: required with/.test(problem))).toEqual([expect.stringMatching(new RegExp(`^${name}: .`))])
    if (value !== 'public') expect(problems.join()).not.toContain(`: ${value}`)
  })
})

describe('the secrets of Stripe', () => {
  it('are named by their place when they have no name', () => {
    const { stripe } = load({ STRIPE_WEBHOOK_SECRETS: 'whsec_a,whsec_b' })

    expect(stripe.secrets).toEqual([
      { name: 'secret-1', secret: 'whsec_a' },
      { name: 'secret-2', secret: 'whsec_b' },
    ])
  })

  it('have names during a rotation', () => {
    const { stripe } = load({ STRIPE_WEBHOOK_SECRETS: 'new=whsec_b, old = whsec_a ,cli.2026-01=whsec_c' })

    expect(stripe.secrets).toEqual([
      { name: 'new', secret: 'whsec_b' },
      { name: 'old', secret: 'whsec_a' },
      { name: 'cli.2026-01', secret: 'whsec_c' },
    ])
  })

  it('may stand in STRIPE_WEBHOOK_SECRET', () => {
    const { stripe } = load({ STRIPE_WEBHOOK_SECRET: 'whsec_a' })

    expect(stripe.secrets).toEqual([{ name: 'secret', secret: 'whsec_a' }])
  })

  it.each(['whsec_x\n', ' whsec_x', 'whsec_x\r\n', '\twhsec_x '])('are trimmed when one is %j', (value) => {
    const { stripe } = load({ STRIPE_WEBHOOK_SECRETS: value })

    expect(stripe.secrets).toEqual([{ name: 'secret-1', secret: 'whsec_x' }])
  })

  it('may contain = signs', () => {
    const { stripe } = load({ STRIPE_WEBHOOK_SECRETS: 'whsec_YWJj==,b=whsec_ZGVm==' })

    expect(stripe.secrets.map(({ secret }) => secret)).toEqual(['whsec_YWJj==', 'whsec_ZGVm=='])
  })

  it.each([
    ['a secret key', 'sk_live_51Sesame', 'is an API key'],
    ['a named secret key', 'main=sk_live_51Sesame', 'is an API key'],
    ['a publishable key', 'pk_test_51Sesame', 'is an API key'],
    ['a restricted key', 'rk_live_51Sesame', 'is an API key'],
    ['empty', '', 'is empty'],
    ['white space', ' \n', 'is empty'],
    ['a name without a secret', 'main=', 'is empty'],
    ['something else', 'Sesame', 'does not begin with whsec_'],
    ['two in one', 'whsec_a whsec_Sesame', 'white space'],
    ['without an end', 'whsec_', 'entry 1'],
    ['under a name with a space', 'my Sesame=whsec_a', 'has a name'],
  ])('refuse the start by name and place when one is %s', (_, value, problem) => {
    const problems = problemsOf({ STRIPE_WEBHOOK_SECRETS: value })

    expect(problems).toEqual([expect.stringMatching(/^STRIPE_WEBHOOK_SECRETS: entry 1 /)])
    expect(problems[0]).toContain(problem)
    expect(problems[0]).not.toContain('Sesame')
  })

  it('name the place of each one that is wrong', () => {
    const problems = problemsOf({ STRIPE_WEBHOOK_SECRETS: 'sk_live_1,whsec_a,' })

    expect(problems.map((problem) => problem.slice(0, 31))).toEqual(['STRIPE_WEBHOOK_SECRETS: entry 1', 'STRIPE_WEBHOOK_SECRETS: entry 3'])
  })
})

describe('the tokens', () => {
  it('are kept as SHA-256 with their role and name', () => {
    const { tokens } = load({ OPERATOR_TOKENS: `olga=${TOKEN}`, VIEWER_TOKENS: `vera=${TOKEN}`, SHOP_TOKENS: `shop=${TOKEN}` })

    expect(tokens.map(({ role, name, sha256 }) => [role, name, sha256.toString('hex')])).toEqual([
      ['operator', 'olga', SHA256],
      ['viewer', 'vera', SHA256],
      ['shop', 'shop', SHA256],
    ])
  })

  it('may be given as SHA-256', () => {
    const { tokens } = load({ VIEWER_TOKENS: `vera=sha256:${SHA256}` })

    expect(tokens[0]?.sha256.toString('hex')).toBe(SHA256)
  })

  it('may have one name twice, for rotation', () => {
    const { tokens } = load({ OPERATOR_TOKENS: `olga=${TOKEN}, olga=${TOKEN}2` })

    expect(tokens.map(({ name }) => name)).toEqual(['olga', 'olga'])
  })

  it('give our own commands the first that stands there as it is', () => {
    const config = load({ OPERATOR_TOKENS: `olga=sha256:${SHA256},otto=${TOKEN}=` })

    expect(config.operatorToken).toBe(`${TOKEN}=`)
  })

  it('give our own commands none when only hashes stand there', () => {
    const config = load({ OPERATOR_TOKENS: `olga=sha256:${SHA256}` })

    expect(config).not.toHaveProperty('operatorToken')
  })

  it.each([
    ['has 31 characters', 'olga=token-token-token-token-token-3', 'is shorter than 32 characters'],
    ['has no name', TOKEN, 'must be name=token'],
    ['has an empty name', `=${TOKEN}`, 'must be name=token'],
    ['is empty', '', 'must be name=token'],
    ['has a space inside', `olga=token token ${TOKEN}`, 'has white space'],
    ['has a letter beyond ASCII', `olga=é${TOKEN}`, 'unprintable'],
    ['has a short hash', 'olga=sha256:abc', '64 lower-case hex digits'],
    ['has a hash in upper case', `olga=sha256:${SHA256.toUpperCase()}`, '64 lower-case hex digits'],
  ])('refuse the start by name and place when one %s', (_, value, problem) => {
    const problems = problemsOf({ OPERATOR_TOKENS: value })

    expect(problems).toEqual([expect.stringMatching(/^OPERATOR_TOKENS: entry 1 /)])
    expect(problems[0]).toContain(problem)
    expect(problems[0]).not.toContain('token-token')
  })

  it.each(['VIEWER_TOKENS', 'SHOP_TOKENS'])('refuse the start by the name %s too', (name) => {
    const problems = problemsOf({ [name]: 'vera=short' })

    expect(problems).toEqual([`${name}: entry 1 is shorter than 32 characters`])
  })
})

describe('what must be set', () => {
  it.each([
    ['DATABASE_URL', { NODE_ENV: 'production' }],
    ['STRIPE_WEBHOOK_SECRETS', { NODE_ENV: 'production' }],
    ['OPERATOR_TOKENS', { NODE_ENV: 'production' }],
    ['STRIPE_WEBHOOK_SECRETS', { NODE_ENV: '' }],
    ['OPERATOR_TOKENS', { NODE_ENV: '' }],
  ])('is %s with %j and the rest set', (name, override) => {
    const { [name]: _, ...rest }: Env = { ...PRODUCTION, ...override }

    expect(problemsOf(rest)).toEqual([expect.stringMatching(new RegExp(`^${name}: required with`))])
  })

  it('is all of it in production, named at once', () => {
    const problems = problemsOf({ NODE_ENV: 'production' })

    expect(problems.map((problem) => problem.split(':')[0])).toEqual(['DATABASE_URL', 'STRIPE_WEBHOOK_SECRETS', 'OPERATOR_TOKENS'])
  })

  it('is an operator, not only a viewer, in production', () => {
    const { OPERATOR_TOKENS: _, ...rest } = PRODUCTION

    const problems = problemsOf({ ...rest, VIEWER_TOKENS: `vera=${TOKEN}` })

    expect(problems).toEqual(['OPERATOR_TOKENS: required with NODE_ENV=production'])
  })

  it('is no secret and no token for a worker, which nobody calls', () => {
    const config = load({ NODE_ENV: 'production', DATABASE_URL: 'postgresql://db/sluice' }, { role: 'worker' })

    expect(config).toMatchObject({ role: 'worker', production: true, tokens: [], stripe: { secrets: [] } })
  })

  it('is a database for a worker in production', () => {
    const problems = problemsOf({ NODE_ENV: 'production' }, { role: 'worker' })

    expect(problems).toEqual(['DATABASE_URL: required with NODE_ENV=production'])
  })
})

describe('the problems of a configuration', () => {
  const names = (env: Env) =>
    problemsOf(env)
      .map((problem) => problem.split(':')[0])
      .sort()

  it('are all reported at once when values of several variables are wrong', () => {
    expect(names({ PORT: 'x', DATABASE_SCHEMA: 'public', LOG_LEVEL: 'loud' })).toEqual(['DATABASE_SCHEMA', 'LOG_LEVEL', 'PORT'])
  })

  it('are all reported at once when secrets and tokens are wrong', () => {
    expect(names({ STRIPE_WEBHOOK_SECRETS: 'sk_live_1', OPERATOR_TOKENS: 'olga=short' })).toEqual([
      'OPERATOR_TOKENS',
      'STRIPE_WEBHOOK_SECRETS',
    ])
  })

  it('are all reported at once when a plain value, a secret and a token are wrong', () => {
    const found = names({ PORT: 'x', STRIPE_WEBHOOK_SECRETS: 'sk_live_1', OPERATOR_TOKENS: 'olga=short' })

    expect(found).toEqual(['OPERATOR_TOKENS', 'PORT', 'STRIPE_WEBHOOK_SECRETS'])
  })

  it('are all reported at once when a plain value is wrong and others are missing', () => {
    const found = names({ NODE_ENV: 'production', PORT: 'x' })

    expect(found).toEqual(['DATABASE_URL', 'OPERATOR_TOKENS', 'PORT', 'STRIPE_WEBHOOK_SECRETS'])
  })
})

describe('a value from a file', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-config-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  function fileWith(text: string): string {
    const path = join(folder, createHash('sha256').update(text).digest('hex'))
    writeFileSync(path, text)
    return path
  }

  it('is read and trimmed for every secret', () => {
    const config = load({
      NODE_ENV: 'production',
      DATABASE_URL_FILE: fileWith('postgresql://sluice:pw@db/sluice\n'),
      STRIPE_WEBHOOK_SECRETS_FILE: fileWith('main=whsec_file\n'),
      OPERATOR_TOKENS_FILE: fileWith(`olga=${TOKEN}\r\n`),
    })

    expect(config.database.url).toBe('postgresql://sluice:pw@db/sluice')
    expect(config.stripe.secrets).toEqual([{ name: 'main', secret: 'whsec_file' }])
    expect(config.tokens[0]?.sha256.toString('hex')).toBe(SHA256)
  })

  it('gives way to the environment', () => {
    const { stripe } = load({ STRIPE_WEBHOOK_SECRET: 'whsec_env', STRIPE_WEBHOOK_SECRET_FILE: fileWith('whsec_file') })

    expect(stripe.secrets.map(({ secret }) => secret)).toEqual(['whsec_env'])
  })

  it('counts when the variable itself is empty, which means not set', () => {
    const { database } = load({ ...PRODUCTION, DATABASE_URL: '', DATABASE_URL_FILE: fileWith('postgresql://file/sluice') })

    expect(database.url).toBe('postgresql://file/sluice')
  })

  it('refuses the start by name when it is an API key', () => {
    const problems = problemsOf({ STRIPE_WEBHOOK_SECRET_FILE: fileWith('sk_live_51Sesame\n') })

    expect(problems).toEqual([expect.stringMatching(/^STRIPE_WEBHOOK_SECRET: entry 1 is an API key/)])
    expect(problems[0]).not.toContain('Sesame')
  })

  it('refuses the start by name when the file is empty', () => {
    const problems = problemsOf({ STRIPE_WEBHOOK_SECRET_FILE: fileWith('\n') })

    expect(problems).toEqual([expect.stringMatching(/^STRIPE_WEBHOOK_SECRET: entry 1 is empty/)])
  })

  it('refuses the start by name, without its path, when the file is not there', () => {
    const problems = problemsOf({ VIEWER_TOKENS_FILE: join(folder, 'sesame') })

    expect(problems[0]).toBe('VIEWER_TOKENS_FILE: the file cannot be read (ENOENT)')
    expect(problems.join()).not.toContain('sesame')
  })
})

describe('ORDER_WEBHOOK_URLS and ORDER_WEBHOOK_SECRET', () => {
  const key = Buffer.alloc(24, 'k')
  const secret = `whsec_${key.toString('base64')}`
  const url = 'https://shop.example.com/messages?key=1'

  it('name receivers, each once, and keys', () => {
    const { orderWebhooks } = load({
      ORDER_WEBHOOK_URLS: `${url}, http://localhost:4000, ${url}`,
      ORDER_WEBHOOK_SECRET: `${secret},whsec_${Buffer.alloc(32).toString('base64')}`,
      ORDER_WEBHOOK_TIMEOUT_MS: '1000',
      ORDER_WEBHOOK_GIVE_UP_SECONDS: '60',
    })

    expect(orderWebhooks).toEqual({
      urls: [url, 'http://localhost:4000/'],
      keys: [key, Buffer.alloc(32)],
      timeoutMs: 1000,
      giveUpMs: 60_000,
    })
  })

  it.each([
    ['URLs without a secret', { ORDER_WEBHOOK_URLS: url }, 'ORDER_WEBHOOK_SECRET: required with ORDER_WEBHOOK_URLS'],
    ['no URL', { ORDER_WEBHOOK_URLS: `${url},shop` }, 'ORDER_WEBHOOK_URLS: entry 2 is not an http:// or https:// URL'],
    ['another scheme', { ORDER_WEBHOOK_URLS: 'ftp://shop' }, 'ORDER_WEBHOOK_URLS: entry 1 is not an http:// or https:// URL'],
    ['a password', { ORDER_WEBHOOK_URLS: 'https://a:b@shop' }, 'ORDER_WEBHOOK_URLS: entry 1 has a user or a password in it'],
    ['a long URL', { ORDER_WEBHOOK_URLS: url.padEnd(1001, 'x') }, 'ORDER_WEBHOOK_URLS: entry 1 is longer than 1000 characters'],
    ['no whsec_', { ORDER_WEBHOOK_SECRET: `${secret},${secret.slice(6)}` }, 'ORDER_WEBHOOK_SECRET: entry 2 is not whsec_ and base64'],
    ['an empty secret', { ORDER_WEBHOOK_SECRET: '' }, 'ORDER_WEBHOOK_SECRET: entry 1 is not whsec_ and base64'],
    ['a short secret', { ORDER_WEBHOOK_SECRET: 'whsec_a2V5' }, 'ORDER_WEBHOOK_SECRET: entry 1 has fewer than 24 bytes after whsec_'],
  ])('are refused with %s, by name and without the value', (_, env, problem) => {
    expect(problemsOf({ ORDER_WEBHOOK_SECRET: secret, ...(env as Env) }).concat(problemsOf(env as Env))).toContain(problem)
  })
})
