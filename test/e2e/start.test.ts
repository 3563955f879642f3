import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, type Json } from '../helpers/api.ts'
import {
  createFolder,
  type GatewayProcess,
  isAlive,
  linkCheckout,
  ROOT,
  runProgram,
  runSluice,
  waitForGateway,
} from '../helpers/run-program.ts'
import { waitUntil } from '../helpers/wait-until.ts'

// The tests of this block are one story, told in order: a laptop on which everything runs from a checkout.
describe('npm start', () => {
  let checkout: Awaited<ReturnType<typeof createFolder>>
  let gateway: GatewayProcess
  beforeAll(async () => {
    checkout = await createFolder()
    await linkCheckout(checkout.path)
    await copyFile(join(ROOT, '.env.example'), join(checkout.path, '.env'))
    gateway = await start()
  })
  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]()
    await removeDatabase()
    await checkout?.[Symbol.asyncDispose]()
  })

  it('says where everything is and what to try, in a fresh checkout with .env.example as .env', async () => {
    const output = await waitForBanner()
    const { port } = new URL(gateway.url)

    expect(await readData('address')).toBe(`http://localhost:${port}`)
    expect(output).toContain('Sluice is ready.')
    expect(output).toMatch(new RegExp(`Webhook URL +http://localhost:${port}/webhooks/stripe\n`))
    expect(output).toMatch(new RegExp(`Stripe secret +made for you, in ${dataFile('stripe-webhook-secret')}\n`))
    expect(output).toMatch(new RegExp(`API +http://localhost:${port}/api +token: ${dataFile('operator-token')}\n`))
    expect(output).toContain('npm run send -- payment.succeeded --order ord_1001\n')
    expect(output).toContain('STRIPE_WEBHOOK_SECRETS=$(stripe listen --print-secret) npm start\n')
    expect(output).toContain(`stripe listen --all-snapshot --forward-to localhost:${port}/webhooks/stripe\n`)
    expect(output).toContain('stripe trigger payment_intent.succeeded --add payment_intent:metadata.order_id=ord_1001\n')
  })

  it('prints no secret', async () => {
    const secret = await readData('stripe-webhook-secret')
    const token = await readData('operator-token')
    const { password } = JSON.parse(await readData('postgres.json')) as { password: string }

    expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/)
    expect(token.length).toBeGreaterThanOrEqual(32)
    for (const hidden of [secret, token, password]) expect(gateway.output()).not.toContain(hidden)
  })

  it('has an order paid by npm run send, and shows the event that did it', async () => {
    const sent = await npm(['run', 'send', '--', 'payment.succeeded', '--order', 'ord_1001'])
    const eventId = /evt_\w+/.exec(sent.output)?.[0] ?? ''
    const [shown, unknown, list] = await Promise.all([
      npm(['run', 'show', '--', eventId]),
      npm(['run', 'show', '--', 'nonsense']),
      npm(['run', 'send', '--', '--list']),
    ])

    expect(sent).toMatchObject({ code: 0, output: expect.stringMatching(/202 accepted[\s\S]*Order ord_1001 {2}paid\n/) })
    expect(shown).toMatchObject({ code: 0, output: expect.stringMatching(new RegExp(`Event ${eventId} {2}payment.succeeded\n`)) })
    expect(shown.output).toMatch(/status +processed[\s\S]*Order ord_1001 {2}paid\n/)
    expect(unknown).toMatchObject({ code: 1, output: expect.stringContaining('No event has the id nonsense.') })
    expect(list).toMatchObject({ code: 0, output: expect.stringMatching(/payment_intent\.succeeded +\w[\s\S]*charge\.refunded/) })
  })

  it('refuses a second one on the same folder with exit code 78', async () => {
    const second = await npm(['start'])

    expect(second.code).toBe(78)
    expect(second.output).toMatch(/Sluice cannot start:\n {2}- Another Sluice runs on the data folder .+\. Stop it, or set DATA_DIR/)
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
  })

  it('goes on with the PostgreSQL that a kill -9 left behind', async () => {
    const database = await postmaster()
    process.kill(gateway.nodePid, 'SIGKILL')
    await gateway.ended

    gateway = await start()

    expect(await postmaster()).toBe(database)
    expect(await findOrder()).toMatchObject({ order_id: 'ord_1001', status: 'paid' })
  })

  it('starts the PostgreSQL that was killed as well', async () => {
    const database = await postmaster()
    process.kill(gateway.nodePid, 'SIGKILL')
    process.kill(database, 'SIGKILL')
    await gateway.ended

    gateway = await start()

    expect(await postmaster()).not.toBe(database)
    expect(await findOrder()).toMatchObject({ order_id: 'ord_1001', status: 'paid' })
  })

  it('ends with exit code 0 on SIGTERM and leaves no PostgreSQL', async () => {
    const database = await postmaster()
    process.kill(gateway.nodePid, 'SIGTERM')

    expect(await gateway.ended).toBe(0)

    await expectNoDatabase(database)
    expect(gateway.output()).toContain('"event":"shutdown.finished"')
  })

  it('ends in order on Ctrl-C, which reaches npm and the gateway at once', async () => {
    gateway = await start()
    const database = await postmaster()
    process.kill(-gateway.pid, 'SIGINT')

    await waitUntil('the gateway has ended', () => !isAlive(gateway.nodePid))

    await expectNoDatabase(database)
    expect(gateway.output()).toContain('"event":"shutdown.finished"')
  })

  it('ends when a supervisor sends SIGTERM to npm', async () => {
    gateway = await start()
    const database = await postmaster()
    gateway.signal('SIGTERM')

    await waitUntil('the gateway has ended', () => !isAlive(gateway.nodePid))

    await expectNoDatabase(database)
    expect(await gateway.ended).toBe(0)
  })

  function environment(): Record<string, string> {
    return { DATA_DIR: join(checkout.path, 'data'), PORT: '0' }
  }

  function start(): Promise<GatewayProcess> {
    return waitForGateway(runProgram('npm', ['start'], { env: environment(), cwd: checkout.path }))
  }

  async function npm(args: string[]): Promise<{ code: number | string; output: string }> {
    await using program = runProgram('npm', args, { env: environment(), cwd: checkout.path })
    return { code: await program.ended, output: program.output() }
  }

  async function findOrder(): Promise<Json> {
    return (await callApi(gateway.url, '/api/orders/ord_1001', { token: await readData('operator-token') })).body
  }

  function waitForBanner(): Promise<string> {
    return waitUntil('the banner is printed', () => (/^.*stripe trigger.*\n$/m.test(gateway.output()) ? gateway.output() : undefined))
  }

  function dataFile(name: string): string {
    return join(checkout.path, 'data', name)
  }

  async function readData(name: string): Promise<string> {
    return (await readFile(dataFile(name), 'utf8')).trim()
  }

  async function databaseHome(): Promise<string> {
    return (JSON.parse(await readData('postgres.json')) as { home: string }).home
  }

  async function postmaster(): Promise<number> {
    return Number((await readFile(join(await databaseHome(), 'data', 'postmaster.pid'), 'utf8')).split('\n')[0])
  }

  /** Its process takes a moment to go after it has said that it is done. */
  async function expectNoDatabase(pid: number): Promise<void> {
    await expect(postmaster()).rejects.toThrow('ENOENT')
    await waitUntil('PostgreSQL has ended', () => !isAlive(pid))
  }

  async function removeDatabase(): Promise<void> {
    const database = await postmaster().catch(() => undefined)
    if (database !== undefined && isAlive(database)) process.kill(database, 'SIGQUIT')
    await waitUntil('PostgreSQL has ended', () => database === undefined || !isAlive(database))
    const home = await databaseHome().catch(() => undefined)
    if (home) await rm(home, { recursive: true, force: true })
  }
})

describe('a wrong configuration', () => {
  it('ends the start with exit code 78 and names every problem without its value', async () => {
    await using folder = await createFolder()
    const env = { DATA_DIR: join(folder.path, 'data'), STRIPE_WEBHOOK_SECRETS: 'sk_test_x', PORT: 'abc' }
    await using program = runSluice(['serve'], { env, cwd: folder.path })

    expect(await program.ended).toBe(78)

    expect(program.output()).toContain('Sluice cannot start:\n')
    expect(program.output()).toMatch(/^ {2}- PORT: must be a whole number$/m)
    expect(program.output()).toMatch(/^ {2}- STRIPE_WEBHOOK_SECRETS: .*API key/m)
    expect(program.output()).not.toMatch(/sk_test|abc/)
  })

  it('is found in .env too, where the environment wins', async () => {
    await using folder = await createFolder()
    const env = { DATA_DIR: join(folder.path, 'data'), MAX_BODY_BYTES: 'many' }
    await writeFile(join(folder.path, '.env'), 'PORT=abc\nMAX_BODY_BYTES=2048\n')
    await using program = runSluice(['serve'], { env, cwd: folder.path })

    expect(await program.ended).toBe(78)

    expect(program.output()).toMatch(/^ {2}- PORT: /m)
    expect(program.output()).toMatch(/^ {2}- MAX_BODY_BYTES: /m)
  })
})
