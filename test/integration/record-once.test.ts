import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Delivery } from '../../src/events/event.ts'
import { recordEvents } from '../../src/events/record-events.ts'
import { callApi, getOrder, waitForEvent } from '../helpers/api.ts'
import { holdLocks } from '../helpers/disturb-database.ts'
import { sendMany, signDelivery } from '../helpers/send-many.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { getPayload, isStored } from '../helpers/stored-event.ts'
import { waitUntil } from '../helpers/wait-until.ts'

// Run once at 2,000 before a change of the recorder; at 300 it takes a few seconds.
const EVENTS = Number(process.env.RECORD_ONCE_EVENTS ?? 300)
const COPIES = 20

describe('an event that is delivered often', () => {
  let gateway: TestGateway
  let other: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
    other = await startTestGateway({ database: gateway.database })
  })
  afterAll(async () => {
    await other.stop()
    await gateway.stop()
  })

  const rows = async (sql: string, values: unknown[] = []) => (await gateway.context.db.pool.query(sql, values)).rows

  function buildPaid(): { orderId: string; event: ReturnType<typeof buildEvent> } {
    const orderId = uniqueId('ord')
    return { orderId, event: buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) }) }
  }

  it('is accepted once and has one effect when the copies come one after the other', async () => {
    const { event, orderId } = buildPaid()

    const answers = []
    for (const { url } of [gateway, other, gateway, other]) answers.push(await deliver(url, event))
    await waitForEvent(gateway.url, event.id)
    answers.push(await deliver(other.url, event))

    expect(answers.map(({ status }) => status)).toEqual([202, 200, 200, 200, 200])
    expect(new Set(answers.map(({ body }) => `${body.message_id} ${body.job_id} ${body.event_id}`)).size).toBe(1)
    expect(new Set(answers.map(({ body }) => body.correlation_id)).size).toBe(5)
    expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ duplicate_count: 4, last_duplicate_at: expect.any(String) })
    expect((await getOrder(gateway.url, orderId)).history).toHaveLength(1)
  })

  it('is accepted once and has one effect when 20 copies reach two processes in one millisecond', async () => {
    const { event, orderId } = buildPaid()

    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => deliver(index % 2 ? gateway.url : other.url, event)))

    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 202])
    expect(new Set(answers.map(({ body }) => body.message_id)).size).toBe(1)
    const story = await waitForEvent(gateway.url, event.id)
    expect(story).toMatchObject({ status: 'processed', duplicate_count: 19, attempts: [{ attempt: 1, outcome: 'succeeded' }] })
    expect(await rows('select 1 from sluice.webhook_events where event_id = $1', [event.id])).toHaveLength(1)
    const order = await getOrder(gateway.url, orderId)
    expect(order).toMatchObject({ status: 'paid', paid_minor: 2000, history: [{ from: 'pending', to: 'paid', event_id: event.id }] })
    expect(order.history).toHaveLength(1)
  })

  it('keeps a further body when it is delivered in another API version, and the first one stays the first', async () => {
    const event = buildEvent({ api_version: '2024-06-20' })
    const later = { ...event, api_version: '2025-03-31.basil', extra: true }

    const answers = [await deliver(gateway.url, event), await deliver(other.url, later), await deliver(gateway.url, later)]

    expect(answers.map(({ status }) => status)).toEqual([202, 200, 200])
    const { message_id: messageId } = await waitForEvent(gateway.url, event.id)
    const bodies = await rows('select api_version, body from sluice.event_bodies where message_id = $1 order by 1', [messageId])
    expect(bodies.map(({ api_version }) => api_version)).toEqual(['2024-06-20', '2025-03-31.basil'])
    expect(JSON.parse(bodies[1].body.toString())).toEqual(later)
    expect(JSON.parse((await getPayload(gateway.url, event.id)).toString())).toEqual(event)
  })

  it('has the effect of both bodies when the second API version arrives after the first was processed', async () => {
    const orderId = uniqueId('ord')
    const object = buildIntent()
    const event = buildEvent({ api_version: '2024-06-20', object })
    const later = { ...event, api_version: '2025-03-31.basil', data: { object: { ...object, metadata: { order_id: orderId } } } }
    await deliver(gateway.url, event)
    await waitForEvent(gateway.url, event.id)

    expect((await deliver(gateway.url, later)).status).toBe(200)

    const order = await waitUntil(
      'the order is known',
      async () => {
        const { status, body } = await callApi(gateway.url, `/api/orders/${orderId}`)
        return status === 200 && body
      },
      5000,
    )
    expect(order).toMatchObject({ status: 'paid', paid_minor: 2000 })
  })

  it('has one effect when two processes get thousands of copies in opposite orders', async () => {
    const paid = Array.from({ length: EVENTS }, buildPaid)
    const deliveries = paid.map(({ event }) => signDelivery(event))
    const copies = deliveries.flatMap((delivery) => Array<typeof delivery>(COPIES / 2).fill(delivery))

    const statuses = await Promise.all([sendMany(gateway.url, copies, 64), sendMany(other.url, copies.toReversed(), 64)])

    const count = (status: number) => statuses.flat().filter((one) => one === status).length
    expect([count(202), count(200)]).toEqual([EVENTS, EVENTS * (COPIES - 1)])
    const eventIds = paid.map(({ event }) => event.id)
    const orderIds = paid.map(({ orderId }) => orderId)
    const select = `select count(*)::int, count(*) filter (where status = 'processed')::int as processed, sum(duplicate_count)::int as duplicates
      from sluice.webhook_events where event_id = any($1)`
    await waitUntil('all are processed', async () => (await rows(select, [eventIds]))[0].processed === EVENTS, 60_000)
    expect(await rows(select, [eventIds])).toEqual([{ count: EVENTS, processed: EVENTS, duplicates: EVENTS * (COPIES - 1) }])
    const orders = await rows('select status, paid_minor::int, count(*)::int from sluice.orders where order_id = any($1) group by 1, 2', [
      orderIds,
    ])
    expect(orders).toEqual([{ status: 'paid', paid_minor: 2000, count: EVENTS }])
    expect(await rows('select 1 from sluice.order_history where order_id = any($1)', [orderIds])).toHaveLength(EVENTS)
    expect(await rows('select deadlocks::int from pg_stat_database where datname = current_database()')).toEqual([{ deadlocks: 0 }])
  }, 180_000)
})

describe('a delivery that the database refuses', () => {
  let gateway: TestGateway
  let clockReadings = 0
  const clock = () => {
    clockReadings += 1
    return new Date()
  }
  beforeAll(async () => {
    gateway = await startTestGateway({ role: 'api', overrides: { clock } })
    await gateway.context.db.pool.query(`alter table sluice.webhook_events add constraint refused check (type <> 'refused')`)
  })
  afterAll(() => gateway.stop())

  it('is answered 503 alone when its neighbours in the same batch are good', async () => {
    const events = ['ok', 'ok', 'refused', 'ok', 'ok'].map((type) => buildEvent({ type }))
    const { pool } = gateway.context.db
    const locks = await holdLocks(gateway.database, 'lock table sluice.webhook_events in access exclusive mode')

    // The first commit stands still, so the others gather and share the next one.
    const first = deliver(gateway.url, buildEvent())
    await waitUntil('a commit waits for the lock', () => pool.totalCount > pool.idleCount)
    clockReadings = 0
    const waiting = Promise.all(events.map((event) => deliver(gateway.url, event)))
    // A delivery reads the clock twice: for its header, and once more when it joins the batch.
    await waitUntil('the others gather', () => clockReadings === 2 * events.length)
    await locks.release()

    expect((await first).status).toBe(202)
    expect((await waiting).map(({ status }) => status)).toEqual([202, 202, 503, 202, 202])
    expect(await Promise.all(events.map(({ id }) => isStored(gateway.url, id)))).toEqual([true, true, false, true, true])
  })

  it('leaves its neighbours stored when a row of the batch is one that PostgreSQL cannot hold', async () => {
    const deliveries = ['ok', 'a\0b', 'ok'].map(buildDelivery)

    await Promise.allSettled([recordEvents(gateway.context, deliveries)])

    expect(await Promise.all(deliveries.map(({ eventId }) => isStored(gateway.url, eventId)))).toEqual([true, false, true])
  })
})

function buildDelivery(type: string): Delivery {
  return {
    provider: 'stripe',
    eventId: uniqueId('evt'),
    type,
    account: null,
    livemode: false,
    apiVersion: null,
    occurredAt: null,
    messageId: crypto.randomUUID(),
    correlationId: uniqueId('cor'),
    receivedAt: new Date(),
    secretName: 'test',
    body: Buffer.from('{}'),
  }
}
