import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { getOrder, waitForEvent } from '../helpers/api.ts'
import { beginOutage, breakConnections, holdLocks } from '../helpers/disturb-database.ts'
import { openRaw, requestHead } from '../helpers/raw-http.ts'
import { sendMany, signDelivery } from '../helpers/send-many.ts'
import { type Answer, buildEvent, buildIntent, deliver, sign, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { isStored } from '../helpers/stored-event.ts'
import { waitUntil } from '../helpers/wait-until.ts'

describe('while the database cannot commit, a delivery', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ env: { COMMIT_TIMEOUT_MS: '500' } })
  })
  afterAll(() => gateway.stop())

  /** As a provider does: until it is a 2xx. */
  async function deliverUntilStored(event: object): Promise<Answer> {
    return waitUntil('the delivery is stored', async () => {
      const answer = await deliver(gateway.url, event)
      expect([200, 202, 503]).toContain(answer.status)
      return answer.status < 300 ? answer : undefined
    })
  }

  function expectUnavailable({ status, headers, body }: Answer): void {
    expect(status).toBe(503)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(body).toMatchObject({ status: 503, code: expect.any(String), correlation_id: headers.get('x-correlation-id') })
  }

  it('is stored and processed after every connection broke at once', async () => {
    const { event, orderId } = buildPaid()
    await deliverUntilStored(buildEvent())

    await breakConnections(gateway.database)

    await deliverUntilStored(event)
    expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ status: 'processed' })
    expect((await getOrder(gateway.url, orderId)).history).toHaveLength(1)
  })

  it('is answered 503 with Retry-After during an outage, and stored once when it comes again', async () => {
    const { event, orderId } = buildPaid()
    const outage = await beginOutage(gateway.database)

    const during = await Promise.all([event, event, buildEvent()].map((one) => deliver(gateway.url, one)))
    await outage.end()

    for (const answer of during) expectUnavailable(answer)
    expect(await isStored(gateway.url, event.id)).toBe(false)
    expect((await deliverUntilStored(event)).status).toBe(202)
    expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ status: 'processed', duplicate_count: 0 })
    expect((await getOrder(gateway.url, orderId)).history).toHaveLength(1)
  })

  it('is answered 503 in time when commits stall, and has one effect when it comes again', async () => {
    const { event, orderId } = buildPaid()
    const locks = await holdLocks(gateway.database, 'lock table sluice.webhook_events in access exclusive mode')

    const during = await Promise.all(Array.from({ length: 10 }, () => deliver(gateway.url, event)))
    await locks.release()

    for (const answer of during) expectUnavailable(answer)
    await deliverUntilStored(event)
    expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ status: 'processed' })
    expect((await getOrder(gateway.url, orderId)).history).toHaveLength(1)
  })
})

describe.each([
  ['longer than a delivery waits', '1500', 503],
  ['for a while', '30000', 200],
])('while commits stall %s, a delivery', (_how, timeoutMs, again) => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ env: { COMMIT_TIMEOUT_MS: timeoutMs } })
    await gateway.context.db.pool.query(`
      create function sluice.stall() returns trigger language plpgsql as $$ begin
        perform pg_advisory_xact_lock_shared(1);
        return null;
      end $$;
      create constraint trigger stall after insert on sluice.webhook_events
        deferrable initially deferred for each row execute function sluice.stall()`)
  })
  afterAll(() => gateway.stop())

  it('whose sender hangs up and sends it again has one effect', async () => {
    const { event, orderId } = buildPaid()
    const stall = await holdLocks(gateway.database, 'select pg_advisory_xact_lock(1)')
    await hangUp(event)
    const second = deliver(gateway.url, event)

    if (again === 503) expect((await second).status).toBe(503)
    await stall.release()

    expect((await second).status).toBe(again)
    expect([200, 202]).toContain((await deliver(gateway.url, event)).status)
    expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ status: 'processed', attempts: [{ outcome: 'succeeded' }] })
    expect((await getOrder(gateway.url, orderId)).history).toHaveLength(1)
  })

  /** Sends all of the event and goes while its commit is under way. */
  async function hangUp(event: object): Promise<void> {
    const body = JSON.stringify(event)
    const connection = await openRaw(gateway.url)
    connection.write(requestHead({ 'Stripe-Signature': sign(body), 'Content-Length': body.length }) + body)
    const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
    await waitUntil('its commit waits', async () => (await gateway.context.db.pool.query(waiting)).rowCount)
    connection.close()
  }
})

describe('a burst of deliveries in whose middle the database goes away', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ role: 'api' })
  })
  afterAll(() => gateway.stop())

  it('is answered 503 meanwhile, and everything has one effect after it was sent again', async () => {
    const paid = Array.from({ length: 2000 }, buildPaid)
    let left = paid.map(({ event }) => signDelivery(event))
    const seen = new Set<number>()
    const sendLeft = async () => {
      const statuses = await sendMany(gateway.url, left, 200)
      for (const status of statuses) seen.add(status)
      left = left.filter((_, index) => (statuses[index] ?? 0) >= 300)
      return left.length === 0
    }

    const sending = sendLeft()
    const outage = await beginOutage(gateway.database)
    await sending
    await sendLeft()
    await outage.end()
    await waitUntil('everything is stored', sendLeft)

    expect([...seen].sort()).toEqual(expect.arrayContaining([202, 503]))
    expect([...seen].filter((status) => ![200, 202, 503].includes(status))).toEqual([])
    const worker = await startTestGateway({ role: 'worker', database: gateway.database })
    const orderIds = paid.map(({ orderId }) => orderId)
    await waitUntil('everything is processed', async () => (await countOrders(orderIds, 'orders')) === paid.length)
    await worker.stop()
    expect(await countOrders(orderIds, 'order_history')).toBe(paid.length)
  })

  async function countOrders(orderIds: string[], table: string): Promise<number> {
    const { rows } = await gateway.context.db.pool.query(`select count(*)::int from sluice.${table} where order_id = any($1)`, [orderIds])
    return rows[0].count
  }
})

function buildPaid() {
  const orderId = uniqueId('ord')
  return { orderId, event: buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) }) }
}
