import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, getOrder, waitForEvent } from '../helpers/api.ts'
import { processInTurn } from '../helpers/process-in-turn.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'

const SECOND_MS = 1000
const HOUR_MS = 3600 * SECOND_MS

function buildPaid() {
  const orderId = uniqueId('ord')
  return { orderId, event: buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) }) }
}

describe('an event that waits while no worker runs', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ role: 'api' })
  })
  afterAll(() => gateway.stop())

  it.each([
    ['10 minutes', HOUR_MS / 6],
    ['21 days', 21 * 24 * HOUR_MS],
  ])('for %s is processed all the same: its signature was judged when it came', async (interval, waitedMs) => {
    const { event, orderId } = buildPaid()
    const timestamp = Math.floor(Date.now() / 1000) - 290
    expect((await deliver(gateway.url, event, { timestamp })).status).toBe(202)
    await gateway.context.db.pool.query(
      `update sluice_queue.job set created_on = created_on - $1::interval, start_after = start_after - $1::interval,
         keep_until = keep_until - $1::interval`,
      [interval],
    )

    const clock = () => new Date(Date.now() + waitedMs)
    const worker = await startTestGateway({ role: 'worker', database: gateway.database, overrides: { clock } })

    expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ status: 'processed', attempts: [{ outcome: 'succeeded' }] })
    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'paid', paid_minor: 2000 })
    await worker.stop()
  })
})

describe('an order that is registered after its money came', () => {
  let now = new Date()
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ overrides: { clock: () => now } })
  })
  afterAll(() => gateway.stop())

  it.each([
    ['5 s', 5 * SECOND_MS],
    ['2 h', 2 * HOUR_MS],
  ])('by %s is paid at once', async (_later, laterMs) => {
    const { event, orderId } = buildPaid()
    now = new Date()
    await processInTurn(gateway.url, [event])

    now = new Date(now.getTime() + laterMs)
    const body = JSON.stringify({ currency: 'USD', expected_minor: 2000 })
    const answer = await callApi(gateway.url, `/api/orders/${orderId}`, { method: 'PUT', body })

    expect(answer).toMatchObject({ status: 201, body: { status: 'paid', paid_minor: 2000, expected_minor: 2000, flags: [] } })
  })
})
