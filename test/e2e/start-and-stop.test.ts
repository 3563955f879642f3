import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type pg from 'pg'
import { connectTo, expectExactlyOnce, waitUntilProcessed } from '../helpers/expect-exactly-once.ts'
import { findFreePort } from '../helpers/free-port.ts'
import { type Load, startPaymentLoad } from '../helpers/payment-load.ts'
import { seededRandom } from '../helpers/random.ts'
import { type GatewayProcess, runSluice, waitForGateway } from '../helpers/run-program.ts'
import { serveOnDatabase } from '../helpers/serve-on-database.ts'
import { createTestDatabase, type TestDatabase } from '../helpers/test-database.ts'
import { waitUntil } from '../helpers/wait-until.ts'

type Role = 'api' | 'worker'

describe('two API and two worker processes on one database, while deliveries come in', () => {
  const processes = new Map<string, GatewayProcess>()
  let database: TestDatabase
  let connection: pg.Client & AsyncDisposable
  let ports: number[]
  let load: Load
  beforeAll(async () => {
    database = await createTestDatabase()
    connection = await connectTo(database.url)
    ports = [await findFreePort(), await findFreePort()]
    load = startPaymentLoad({ urls: ports.map((port) => `http://127.0.0.1:${port}`), random: seededRandom(1), connections: 2 })
  })
  afterAll(async () => {
    await load?.stop()
    for (const program of processes.values()) await program[Symbol.asyncDispose]()
    await connection?.end()
    await database?.drop()
  })

  async function start(role: Role, number: 1 | 2): Promise<void> {
    const port = role === 'api' ? (ports[number - 1] as number) : 0
    processes.set(`${role} ${number}`, await waitForGateway(serveOnDatabase({ databaseUrl: database.url, role, port })))
  }

  async function stop(role: Role, number: 1 | 2): Promise<number | NodeJS.Signals> {
    const program = processes.get(`${role} ${number}`) as GatewayProcess
    program.signal('SIGTERM')
    const code = await program.ended
    expect(program.output()).toContain('"event":"shutdown.finished"')
    return code
  }

  const count = async (status: string): Promise<number> =>
    (await connection.query('select count(*)::int as count from sluice.webhook_events where status = $1', [status])).rows[0].count

  async function waitForMore(what: string, measure: () => Promise<number> | number): Promise<void> {
    const before = await measure()
    await waitUntil(`more is ${what}`, async () => (await measure()) > before + 20)
  }
  const waitForAccepted = () => waitForMore('accepted', () => load.answered.size)
  const waitForProcessed = () => waitForMore('processed', () => count('processed'))

  it('a worker that was there first processes what an API accepts later', async () => {
    await start('worker', 1)
    await start('api', 1)

    await waitForProcessed()
  })

  it('the second ones join', async () => {
    await Promise.all([start('api', 2), start('worker', 2)])

    await waitForProcessed()
  })

  it('when one API stops, the other accepts and the workers go on', async () => {
    expect(await stop('api', 1)).toBe(0)

    await waitForAccepted()
    await waitForProcessed()
  })

  it('when both workers stop, deliveries are accepted and wait', async () => {
    expect(await Promise.all([stop('worker', 1), stop('worker', 2)])).toEqual([0, 0])

    await waitForAccepted()
    expect(await count('received')).toBeGreaterThan(0)
  })

  it('an API that starts when nothing runs accepts at once', async () => {
    expect(await stop('api', 2)).toBe(0)
    await start('api', 1)

    await waitForAccepted()
  })

  it('a worker that comes back processes all of it, each event once', async () => {
    await start('worker', 1)
    await waitForProcessed()
    await load.stop()

    await waitUntilProcessed(connection)
    await expectExactlyOnce(connection, load)
  })

  it('the last ones stop in order', async () => {
    expect(await Promise.all([stop('worker', 1), stop('api', 1)])).toEqual([0, 0])
  })
})

describe('two processes that migrate one empty database at once', () => {
  it('both succeed, and one of them has applied everything', async () => {
    const database = await createTestDatabase({ isMigrated: false })
    await using first = runSluice(['migrate'], { env: { DATABASE_URL: database.url } })
    await using second = runSluice(['migrate'], { env: { DATABASE_URL: database.url } })

    expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0])

    expect([first.output(), second.output()].sort()).toEqual([expect.stringMatching(/^Applied /), 'The database is up to date.\n'])
    await database.drop()
  })
})
