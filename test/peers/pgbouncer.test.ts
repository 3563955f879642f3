import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { getOrder, waitForEvent } from '../helpers/api.ts'
import { connectTo, listProcessedOnce, waitUntilProcessed } from '../helpers/expect-exactly-once.ts'
import { type PgBouncer, startPgBouncer } from '../helpers/pgbouncer.ts'
import { runSluice } from '../helpers/run-program.ts'
import { sendMany, signDelivery } from '../helpers/send-many.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { createTestDatabase, type TestDatabase } from '../helpers/test-database.ts'

const EVENTS = 100
const COPIES = 3
const CONNECTIONS = 30

const buildPaid = (orderId = uniqueId('ord')) => buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) })

describe('behind PgBouncer in transaction mode', () => {
  let database: TestDatabase
  let pgBouncer: PgBouncer
  beforeAll(async () => {
    database = await createTestDatabase()
    pgBouncer = await startPgBouncer(database.url)
  })
  afterAll(async () => {
    await pgBouncer[Symbol.asyncDispose]()
    await database.drop()
  })

  const start = (env: Record<string, string>) => startTestGateway({ env, database: { ...database, url: pgBouncer.pooled(database.url) } })

  /** The names of the connections that wait for notifications. */
  async function findListeners(): Promise<string[]> {
    await using connection = await connectTo(database.url)
    const { rows } = await connection.query(
      `select application_name from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and query ~ '^LISTEN|pg_listening_channels'`,
    )
    return rows.map((row) => row.application_name)
  }

  describe.each([
    { what: 'with DATABASE_DIRECT_URL past it', direct: true },
    { what: 'without DATABASE_DIRECT_URL', direct: false },
  ])('$what', ({ direct }) => {
    let gateways: [TestGateway, TestGateway]
    let environment: Record<string, string>
    beforeAll(async () => {
      environment = direct ? { DATABASE_DIRECT_URL: `${database.url}?application_name=past_it` } : {}
      gateways = await Promise.all([start(environment), start(environment)])
    })
    afterAll(async () => {
      for (const gateway of gateways) await gateway.stop()
    })

    it('a delivery is stored once, and its order is paid', async () => {
      const orderId = uniqueId('ord')
      const event = buildPaid(orderId)

      const statuses = [(await deliver(gateways[0].url, event)).status, (await deliver(gateways[1].url, event)).status]

      expect(statuses).toEqual([202, 200])
      expect(await waitForEvent(gateways[1].url, event.id)).toMatchObject({ status: 'processed', duplicate_count: 1 })
      expect(await getOrder(gateways[0].url, orderId)).toMatchObject({ status: 'paid', paid_minor: 2000 })
    })

    it('many deliveries at once at two gateways and one that starts later are stored and processed once each', async () => {
      await using connection = await connectTo(database.url)
      const events = Array.from({ length: EVENTS }, () => buildPaid())
      const deliveries = events.map(signDelivery)
      const first = await Promise.all(gateways.map(({ url }) => sendMany(url, deliveries, CONNECTIONS)))

      const third = await start(environment)
      const later = await sendMany(third.url, deliveries, CONNECTIONS)
      await third.stop()

      expect(first.flat().filter((status) => status === 202)).toHaveLength(EVENTS)
      expect([...first.flat(), ...later].filter((status) => status === 200)).toHaveLength(EVENTS * (COPIES - 1))
      await waitUntilProcessed(connection)
      expect(await listProcessedOnce(connection, { copies: COPIES })).toEqual(expect.arrayContaining(events.map(({ id }) => id)))
    })

    it(direct ? 'each worker listens past it' : 'no worker listens, and each says so', async () => {
      const lines = gateways.flatMap(({ logs }) => logs.filter(({ event }) => event === 'database.pooled'))

      expect(await findListeners()).toEqual(direct ? ['past_it', 'past_it'] : [])
      expect(lines.map(({ level }) => level)).toEqual(direct ? [] : ['warn', 'warn'])
    })

    it('nothing failed', () => {
      expect(gateways.flatMap(({ logs }) => logs.filter(({ level }) => level === 'error'))).toEqual([])
    })
  })

  describe('migrate', () => {
    async function runMigrate(env: Record<string, string>): Promise<{ code: number | string; output: string }> {
      await using program = runSluice(['migrate'], { env })
      return { code: await program.ended, output: program.output() }
    }

    it('goes past it with DATABASE_DIRECT_URL', async () => {
      const env = { DATABASE_URL: pgBouncer.pooled(database.url), DATABASE_DIRECT_URL: database.url, DATABASE_SCHEMA: 'past_it' }

      expect(await runMigrate(env)).toMatchObject({ code: 0, output: expect.stringContaining('Applied ') })
    })

    it.each([
      ['refuses', {}],
      ['ignores', { ignore_startup_parameters: 'options' }],
    ])('exits 78 and leaves no table and no lock when it %s the schema that a connection asks for', async (_what, settings) => {
      await using other = await startPgBouncer(database.url, settings)
      await using connection = await connectTo(database.url)

      const refused = await runMigrate({ DATABASE_URL: other.pooled(database.url), DATABASE_SCHEMA: 'pooled' })

      expect(refused).toMatchObject({ code: 78, output: expect.stringContaining('DATABASE_DIRECT_URL') })
      const { rows: tables } = await connection.query(`select tablename from pg_tables where schemaname in ('public', 'pooled')`)
      const { rows: locks } = await connection.query(
        `select pid from pg_locks join pg_database on oid = database where locktype = 'advisory' and datname = current_database()`,
      )
      expect({ tables, locks }).toEqual({ tables: [], locks: [] })
    })
  })
})
