import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, getOrder, waitForEvent } from '../helpers/api.ts'
import { countStatements } from '../helpers/count-statements.ts'
import { beginOutage, breakConnections, holdLocks } from '../helpers/disturb-database.ts'
import { scrape } from '../helpers/metrics.ts'
import { openRaw, requestHead } from '../helpers/raw-http.ts'
import { buildEvent, buildIntent, deliver, sign, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { isStored } from '../helpers/stored-event.ts'
import { createTestDatabase, runOn } from '../helpers/test-database.ts'
import { waitUntil } from '../helpers/wait-until.ts'

type Health = { status: number; reasons?: string[] }

async function ask(url: string, path: string): Promise<Health> {
  const response = await fetch(`${url}${path}`)
  const { reasons } = (await response.json()) as Omit<Health, 'status'>
  return { status: response.status, ...(reasons && { reasons }) }
}

const waitForReadiness = (url: string, status: number) =>
  waitUntil(
    `/readyz says ${status}`,
    async () => {
      const answer = await ask(url, '/readyz')
      return answer.status === status ? answer : undefined
    },
    3000,
  )

describe('a running gateway', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  it('is alive and ready, without a token', async () => {
    expect((await ask(gateway.url, '/healthz')).status).toBe(200)
    expect(await ask(gateway.url, '/readyz')).toEqual({ status: 200, reasons: [] })
  })

  it('is unready with the reason, and still alive, while the database is away', async () => {
    const outage = await beginOutage(gateway.database)

    const { reasons } = await waitForReadiness(gateway.url, 503)
    const alive = await ask(gateway.url, '/healthz')
    await outage.end()

    expect(reasons).toEqual([expect.stringContaining('database')])
    expect(JSON.stringify(reasons)).not.toMatch(/password|postgresql:|\n/)
    expect(alive.status).toBe(200)
    expect((await waitForReadiness(gateway.url, 200)).reasons).toEqual([])
  })

  it('is unready while the database takes no writes', async () => {
    const name = new URL(gateway.database.url).pathname.slice(1)
    await runOn(gateway.database.url, `alter database ${name} set default_transaction_read_only = on`)
    await breakConnections(gateway.database)

    const refused = await waitUntil('a delivery is refused', async () => {
      const answer = await deliver(gateway.url, buildEvent())
      return answer.status === 503 ? answer : undefined
    })
    const readiness = await waitForReadiness(gateway.url, 503).catch(() => ask(gateway.url, '/readyz'))
    await runOn(gateway.database.url, `set transaction_read_only = off; alter database ${name} reset default_transaction_read_only`)
    await breakConnections(gateway.database)

    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(readiness).toEqual({ status: 503, reasons: [expect.stringContaining('read-only')] })
  })

  it('looks at the database once a second however often it is asked', async () => {
    await waitForReadiness(gateway.url, 200)
    const statements = countStatements(gateway.context.db)
    const startedAt = Date.now()

    await Promise.all(Array.from({ length: 100 }, () => ask(gateway.url, '/readyz')))
    statements.stop()

    // A statement counts twice here: the pool asks itself for a connection.
    expect(statements.count()).toBeLessThanOrEqual(2 * (1 + Math.ceil((Date.now() - startedAt) / 1000)))
  })

  it('keeps idle connections open for longer than the 60 s of load balancers', async () => {
    const body = JSON.stringify(buildEvent())
    const connection = await openRaw(gateway.url)

    connection.write(requestHead({ 'Stripe-Signature': sign(body), 'Content-Length': body.length, Connection: 'keep-alive' }) + body)
    const first = await connection.answer()
    connection.write(requestHead({ 'Stripe-Signature': sign(body), 'Content-Length': body.length }) + body)
    const second = await connection.answer()
    connection.close()

    expect([first.status, second.status]).toEqual([202, 200])
    expect(Number(/^Keep-Alive: timeout=(\d+)/im.exec(first.head)?.[1])).toBeGreaterThan(65)
  })

  it('cuts off senders that are slow with their headers or their body, also one that does not go when we end', async () => {
    const event = buildEvent()
    const body = JSON.stringify(event)
    const halfOpen = await openRaw(gateway.url, { allowHalfOpen: true })
    const [slowHead, slowBody] = [await openRaw(gateway.url), await openRaw(gateway.url)]

    slowHead.write('POST /webhooks/stripe HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
    for (const { write } of [slowBody, halfOpen])
      write(requestHead({ 'Stripe-Signature': sign(body), 'Content-Length': 100_000 }) + body.slice(0, 20))
    const answers = await Promise.all([slowHead, slowBody, halfOpen].map((connection) => connection.answer()))

    expect(answers.map(({ status }) => status)).toEqual([408, 408, 408])
    await waitUntil('the first two are closed', () => slowHead.socket.closed && slowBody.socket.closed)
    await waitUntil('the third is told that nobody reads what it sends', () => {
      halfOpen.write('x')
      return halfOpen.socket.closed
    })
    expect((await scrape(gateway.url)).value('sluice_inflight_bytes')).toBe(0)
    expect((await deliver(gateway.url, event)).status).toBe(202)
  })
})

describe('a gateway that is told to stop', () => {
  it('is unready at once, and serves until its delay is over', async () => {
    const gateway = await startTestGateway({ role: 'api', env: { SHUTDOWN_DELAY_MS: '500' } })

    const stopped = gateway.stop()
    const readiness = await ask(gateway.url, '/readyz')
    const delivery = await deliver(gateway.url, buildEvent())
    await stopped

    expect(readiness).toMatchObject({ status: 503, reasons: ['shutting down'] })
    expect(delivery.status).toBe(202)
    await expect(deliver(gateway.url, buildEvent())).rejects.toThrow('fetch failed')
  })

  it('answers the request that is under way, and is gone right after', async () => {
    const database = await createTestDatabase()
    const gateway = await startTestGateway({ role: 'api', database })
    const event = buildEvent()
    const body = JSON.stringify(event)
    const connection = await openRaw(gateway.url)
    connection.write(requestHead({ 'Stripe-Signature': sign(body), 'Content-Length': body.length }) + body.slice(0, 20))
    await ask(gateway.url, '/healthz')

    const stopped = gateway.stop()
    connection.write(body.slice(20))
    const answer = await connection.answer()
    const answeredAt = Date.now()
    await stopped
    const tookMs = Date.now() - answeredAt

    expect(answer.status).toBe(202)
    const next = await startTestGateway({ role: 'api', database })
    expect(await isStored(next.url, event.id)).toBe(true)
    await next.stop()
    await database.drop()
    // Not at the deadline of a stop, which is 10 s.
    expect(tookMs).toBeLessThan(8000)
  })

  it('answers a delivery whose commit is under way', async () => {
    const gateway = await startTestGateway({ role: 'api' })
    const { pool } = gateway.context.db
    const locks = await holdLocks(gateway.database, 'lock table sluice.webhook_events in access exclusive mode')
    const delivery = deliver(gateway.url, buildEvent())
    await waitUntil('its commit waits', () => pool.totalCount > pool.idleCount)

    const stopped = gateway.stop()
    await locks.release()
    await stopped

    expect((await delivery).status).toBe(202)
  })

  it('finishes the job that is under way', async () => {
    const database = await createTestDatabase()
    const gateway = await startTestGateway({ database })
    const { orderId, event, locks } = await beginLockedJob(gateway)

    const stopped = gateway.stop()
    await locks.release()
    await stopped

    const next = await startTestGateway({ role: 'api', database })
    expect((await callApi(next.url, `/api/events/${event.id}`)).body).toMatchObject({ status: 'processed', attempts: [{ attempt: 1 }] })
    expect(await getOrder(next.url, orderId)).toMatchObject({ status: 'paid' })
    await next.stop()
    await database.drop()
  })

  it('hands back a job that cannot end in time, which has one effect later', async () => {
    const database = await createTestDatabase()
    const gateway = await startTestGateway({ database })
    const { orderId, event, locks } = await beginLockedJob(gateway)

    const startedAt = Date.now()
    await gateway.stop()
    const tookMs = Date.now() - startedAt
    await locks.release()

    const next = await startTestGateway({ database })
    expect(await waitForEvent(next.url, event.id)).toMatchObject({ status: 'processed' })
    const order = await getOrder(next.url, orderId)
    await next.stop()
    await database.drop()
    expect(order).toMatchObject({ status: 'paid', paid_minor: 2000, history: [{ event_id: event.id }] })
    // It does not wait for the lock, which would be for ever.
    expect(tookMs).toBeLessThan(20_000)
  })
})

/** A job that runs and waits for a lock. */
async function beginLockedJob(gateway: TestGateway) {
  const orderId = uniqueId('ord')
  const event = buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) })
  const locks = await holdLocks(gateway.database, 'lock table sluice.orders in exclusive mode')
  const { job_id: jobId } = (await deliver(gateway.url, event)).body
  await waitUntil('the job runs', async () => (await callApi(gateway.url, `/api/jobs/${jobId}`)).body.status === 'running')
  return { orderId, event, locks }
}
