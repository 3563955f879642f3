import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, getOrder, type Json, waitForEvent } from '../helpers/api.ts'
import { holdLocks } from '../helpers/disturb-database.ts'
import { type RefusedOrders, refuseOrders } from '../helpers/refuse-orders.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { waitUntil } from '../helpers/wait-until.ts'

describe('an event whose processing fails', () => {
  let gateway: TestGateway
  let refused: RefusedOrders
  beforeAll(async () => {
    gateway = await startTestGateway({ env: { COMMIT_TIMEOUT_MS: '1000', JOB_RETRY_LIMIT: '1' } })
    refused = await refuseOrders(gateway.context.db.pool)
  })
  afterAll(() => gateway.stop())

  const rows = async (sql: string, values: unknown[] = []): Promise<Json[]> => (await gateway.context.db.pool.query(sql, values)).rows

  function buildPaid(orderId: string, intent = uniqueId('pi')) {
    return buildEvent({ object: buildIntent({ id: intent, metadata: { order_id: orderId } }) })
  }

  /** Retries that are due are looked for every 2 s; a delivery wakes the worker, which then finds them sooner. */
  async function waitForEnd(id: string): Promise<Json> {
    return waitUntil(`${id} has its end`, async () => {
      await deliver(gateway.url, buildEvent({ type: 'wake.up' }))
      const { body } = await callApi(gateway.url, `/api/events/${id}`)
      return body.status !== 'received' && body
    })
  }

  async function waitForFailure(id: string): Promise<Json> {
    return waitUntil(`an attempt of ${id} failed`, async () => {
      const { body } = await callApi(gateway.url, `/api/events/${id}`)
      return body.attempts?.length > 0 && body
    })
  }

  it('is applied when the order update throws at first and works later', async () => {
    const orderId = uniqueId('ord')
    const event = buildPaid(orderId)
    await refused.refuse(orderId)
    await deliver(gateway.url, event)

    const failed = await waitForFailure(event.id)
    await refused.accept(orderId)

    expect(failed).toMatchObject({ status: 'received', processed_at: null, attempts: [{ attempt: 1, outcome: 'failed' }] })
    expect(failed.attempts[0].error).toContain('the order update is broken')
    const story = await waitForEnd(event.id)
    expect(story).toMatchObject({ status: 'processed', reason: null })
    expect(story.attempts.map(({ attempt, outcome }: Json) => [attempt, outcome])).toEqual([
      [1, 'failed'],
      [2, 'succeeded'],
    ])
    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'paid', history: [{ to: 'paid', event_id: event.id }] })
  })

  it('is found by its references although it fails, and has no half effect', async () => {
    const [orderId, intent] = [uniqueId('ord'), uniqueId('pi')]
    const event = buildPaid(orderId, intent)
    await refused.refuse(orderId)

    await deliver(gateway.url, event)
    const failed = await waitForFailure(event.id)

    expect(failed.references).toEqual(
      expect.arrayContaining([
        { kind: 'payment_intent', value: intent },
        { kind: 'order', value: orderId },
      ]),
    )
    const found = await rows('select message_id from sluice.event_references where value = $1', [intent])
    expect(found).toEqual([{ message_id: failed.message_id }])
    expect(await rows('select 1 from sluice.payments where payment_id = $1', [intent])).toEqual([])
    expect((await callApi(gateway.url, `/api/orders/${orderId}`)).status).toBe(404)
  })

  describe('every time, among ten that are good or bad', () => {
    const orderIds = Array.from({ length: 10 }, () => uniqueId('ord'))
    const events = orderIds.map((orderId) => buildPaid(orderId))
    const [poison, others] = [events[4] as Json, events.toSpliced(4, 1)]
    let dead: Json
    beforeAll(async () => {
      await refused.refuse(orderIds[4] as string)
      await Promise.all(events.map((event) => deliver(gateway.url, event)))
      dead = await waitForEnd(poison.id)
    })

    it('leaves the nine others processed once', async () => {
      for (const { id } of others) {
        const story = await waitForEvent(gateway.url, id)
        expect(story).toMatchObject({ status: 'processed', attempts: [{ attempt: 1, outcome: 'succeeded' }] })
        expect((await getOrder(gateway.url, story.order_ids[0])).history).toHaveLength(1)
      }
    })

    it('is dead after its last attempt, with the error of each', async () => {
      expect(dead).toMatchObject({ status: 'dead', reason: 'attempts_exhausted' })
      expect(dead.attempts.map(({ attempt, outcome }: Json) => [attempt, outcome])).toEqual([
        [1, 'failed'],
        [2, 'failed'],
      ])
      for (const { error } of dead.attempts) expect(error).toContain('the order update is broken')
      expect((await callApi(gateway.url, `/api/orders/${orderIds[4]}`)).status).toBe(404)
    })

    it('waits in the dead-letter queue, and the log says once that it died', async () => {
      const { message_id, job_id, correlation_id } = dead

      const select = `select state, data from sluice_queue.job where name = 'dead-events' and data->>'message_id' = $1`
      expect(await rows(select, [message_id])).toEqual([
        { state: 'created', data: { message_id, correlation_id, causation_id: message_id } },
      ])
      const lines = gateway.logs.filter(({ event, fields }) => event === 'event.died' && fields.message_id === message_id)
      expect(lines).toMatchObject([{ level: 'error', fields: { attempt: 2, job_id, correlation_id } }])
      expect((await callApi(gateway.url, `/api/jobs/${job_id}`)).body).toMatchObject({ status: 'failed', attempt: 2 })
    })
  })

  it('is tried again without a half effect when the row of its order is locked for a while', async () => {
    const [orderId, intent] = [uniqueId('ord'), uniqueId('pi')]
    await deliver(gateway.url, buildPaid(orderId, intent))
    await waitUntil('the order is paid', async () => (await getOrder(gateway.url, orderId)).status === 'paid')
    const charge = { id: uniqueId('ch'), object: 'charge', amount: 2000, amount_refunded: 2000, currency: 'usd', payment_intent: intent }
    const refund = buildEvent({ type: 'charge.refunded', object: charge })
    const locks = await holdLocks(gateway.database, `select 1 from sluice.orders where order_id = '${orderId}' for update`)

    await deliver(gateway.url, refund)
    await waitForFailure(refund.id)
    const during = await rows('select status, refunded_minor::int from sluice.orders where order_id = $1', [orderId])
    const payments = await rows('select refunded_minor::int from sluice.payments where payment_id = $1', [intent])
    await locks.release()

    expect([during, payments]).toEqual([[{ status: 'paid', refunded_minor: 0 }], [{ refunded_minor: 0 }]])
    expect(await waitForEnd(refund.id)).toMatchObject({ status: 'processed' })
    const order = await getOrder(gateway.url, orderId)
    expect(order).toMatchObject({ status: 'refunded', refunded_minor: 2000 })
    expect(order.history).toHaveLength(2)
  })
})
