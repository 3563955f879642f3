import { describe, expect, it } from '@jest/globals'
import { claimLanes } from '../../src/outbox/lanes.ts'
import { callApi, type Json } from '../helpers/api.ts'
import { findFreePort } from '../helpers/free-port.ts'
import { type Receiver, startReceiver, telling } from '../helpers/message-receiver.ts'
import { scrape } from '../helpers/metrics.ts'
import { uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway, type TestOptions } from '../helpers/start-test-gateway.ts'
import { waitUntil } from '../helpers/wait-until.ts'

const start = async (options: TestOptions): Promise<TestGateway & AsyncDisposable> => {
  const gateway = await startTestGateway(options)
  return Object.assign(gateway, { [Symbol.asyncDispose]: () => gateway.stop() })
}

/** Changes an order so often: each registration that replaces the one before makes a message. */
async function change(gateway: TestGateway, orderId: string, count: number): Promise<void> {
  for (let amount = 1; amount <= count; amount += 1) {
    const body = JSON.stringify({ currency: 'USD', expected_minor: amount, replace: true, reason: 'a test' })
    const { status } = await callApi(gateway.url, `/api/orders/${orderId}`, { method: 'PUT', body })
    if (status >= 300) throw new Error(`Registering answered ${status}`)
  }
}

const waitForTaken = (receiver: Receiver, orderId: string, count: number) =>
  waitUntil(`${count} messages of ${orderId}`, () => receiver.taken(orderId).length >= count)
const sequences = (messages: Json[]): number[] => messages.map(({ sequence }) => sequence)
const linesOf = ({ logs }: TestGateway, orderId: string) =>
  logs.filter(({ event, fields }) => event.startsWith('message.') && fields.order_id === orderId)
const findMessages = async ({ url }: TestGateway, query: string): Promise<Json[]> =>
  (await callApi(url, `/api/messages?${query}`)).body.data

describe('a receiver that fails at first', () => {
  it('gets the same message again, signed anew, until it takes it', async () => {
    let failures = 2
    await using receiver = await startReceiver(() => (failures-- > 0 ? 500 : 204))
    await using gateway = await start({ env: telling(receiver) })

    await change(gateway, 'ord_1', 1)
    await waitForTaken(receiver, 'ord_1', 1)

    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(ids).toHaveLength(3)
    expect(new Set(ids).size).toBe(1)
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect(times[2]).toBeGreaterThan(times[0] as number)
    await waitUntil('it is logged', () => linesOf(gateway, 'ord_1').length === 3)
    expect(linesOf(gateway, 'ord_1')).toMatchObject([
      { level: 'warn', event: 'message.failed', fields: { attempt: 1, error: 'answered 500', receiver: new URL(receiver.url).host } },
      { event: 'message.failed', fields: { attempt: 2 } },
      {
        level: 'info',
        event: 'message.delivered',
        fields: { attempt: 3, sequence: 1, message_id: ids[0], correlation_id: expect.any(String) },
      },
    ])
    expect(JSON.stringify(gateway.logs)).not.toMatch(/hidden|expected_minor/)
  })

  it('is not followed where it redirects to', async () => {
    await using receiver = await startReceiver(() => 302)
    await using gateway = await start({ env: telling(receiver) })

    await change(gateway, 'ord_1', 1)
    await waitUntil('it failed', () => linesOf(gateway, 'ord_1').length > 0)

    expect(linesOf(gateway, 'ord_1')[0]).toMatchObject({ event: 'message.failed', fields: { error: 'answered 302' } })
  })

  it('that does not answer in time is given up on', async () => {
    await using receiver = await startReceiver(() => new Promise(() => {}))
    await using gateway = await start({ env: { ...telling(receiver), ORDER_WEBHOOK_TIMEOUT_MS: '200' } })

    await change(gateway, 'ord_1', 1)
    await waitUntil('it failed', () => linesOf(gateway, 'ord_1').length > 0)

    expect(linesOf(gateway, 'ord_1')[0]).toMatchObject({ event: 'message.failed', fields: { error: 'no answer within 200 ms' } })
  })
})

describe('the messages of an order', () => {
  it('wait for the first of them, and no other order waits with it', async () => {
    let isStuck = true
    await using receiver = await startReceiver(({ subject }) => (isStuck && subject === 'ord_stuck' ? 503 : 204))
    await using gateway = await start({ env: telling(receiver) })

    await change(gateway, 'ord_stuck', 3)
    for (let order = 0; order < 30; order += 1) await change(gateway, `ord_${order}`, 2)
    for (let order = 0; order < 30; order += 1) await waitForTaken(receiver, `ord_${order}`, 2)
    const tried = receiver.received.filter(({ message }) => message.subject === 'ord_stuck')
    isStuck = false
    await waitForTaken(receiver, 'ord_stuck', 3)

    expect(new Set(tried.map(({ message }) => message.sequence))).toEqual(new Set([1]))
    expect(sequences(receiver.taken('ord_stuck'))).toEqual([1, 2, 3])
    for (let order = 0; order < 30; order += 1) expect(sequences(receiver.taken(`ord_${order}`))).toEqual([1, 2])
  })

  it('reach each receiver by itself, when another is away', async () => {
    const away = { url: `http://127.0.0.1:${await findFreePort()}/` }
    await using receiver = await startReceiver()
    await using gateway = await start({ env: telling(away, receiver) })

    await change(gateway, 'ord_1', 2)
    await waitForTaken(receiver, 'ord_1', 2)

    const [message] = await findMessages(gateway, 'order_id=ord_1&status=waiting')
    expect(message.dispatches).toEqual(
      expect.arrayContaining([expect.objectContaining({ receiver: new URL(away.url).host, status: 'waiting' })]),
    )
    await waitUntil('the other failed', () => linesOf(gateway, 'ord_1').some(({ event }) => event === 'message.failed'))
    expect(linesOf(gateway, 'ord_1').find(({ event }) => event === 'message.failed')?.fields.error).toBe('no answer: ECONNREFUSED')
  })

  it('are sent once and in sequence by two relays side by side', async () => {
    await using receiver = await startReceiver()
    await using api = await start({ role: 'api', env: telling(receiver) })
    const orderIds = Array.from({ length: 50 }, () => uniqueId('ord'))
    await Promise.all(orderIds.map((orderId) => change(api, orderId, 4)))
    const options: TestOptions = { role: 'worker', env: telling(receiver), database: api.database }
    const workers = await Promise.all([startTestGateway(options), startTestGateway(options)])

    for (const orderId of orderIds) await waitForTaken(receiver, orderId, 4)
    await Promise.all(workers.map((worker) => worker.stop()))

    expect(receiver.received).toHaveLength(200)
    for (const orderId of orderIds) expect(sequences(receiver.taken(orderId))).toEqual([1, 2, 3, 4])
    const shares = workers.map(({ logs }) => logs.filter(({ event }) => event === 'message.delivered').length)
    expect(shares[0] as number).toBeGreaterThan(0)
    expect(shares[1] as number).toBeGreaterThan(0)
    expect(await findMessages(api, 'status=waiting')).toEqual([])
  })
})

describe('a message that could not be delivered in time', () => {
  it('is dead, lets the next one pass, and can be sent again', async () => {
    let refused = 1
    await using receiver = await startReceiver(({ sequence }) => (sequence === refused ? 500 : 204))
    await using gateway = await start({ env: { ...telling(receiver), ORDER_WEBHOOK_GIVE_UP_SECONDS: '1' } })

    await change(gateway, 'ord_1', 2)
    await waitForTaken(receiver, 'ord_1', 1)
    const [dead] = await findMessages(gateway, 'status=dead')
    const metrics = await scrape(gateway.url)
    refused = 0
    const resend = { method: 'POST', body: JSON.stringify({ reason: 'the shop is back' }) }
    const answer = await callApi(gateway.url, `/api/messages/${dead.message_id}/resend`, resend)
    await waitForTaken(receiver, 'ord_1', 2)

    expect(dead).toMatchObject({ sequence: 1, dispatches: [{ status: 'dead', last_error: 'answered 500' }] })
    expect(metrics.value('sluice_outbox_messages{state="dead"}')).toBe(1)
    expect(metrics.value('sluice_dead_messages_total')).toBe(1)
    expect(metrics.value('sluice_message_attempt_seconds_count{outcome="failed"}')).toBeGreaterThan(1)
    expect(answer).toMatchObject({ status: 202, body: { message_id: dead.message_id } })
    expect(sequences(receiver.taken('ord_1'))).toEqual([2, 1])
    expect(linesOf(gateway, 'ord_1').filter(({ event }) => event === 'message.died')).toHaveLength(1)
    await waitUntil('none is dead', async () => (await findMessages(gateway, 'status=delivered')).length === 2)
    expect((await callApi(gateway.url, `/api/messages/${dead.message_id}/resend`, resend)).body.code).toBe('message_not_dead')
  })
})

describe('a relay that ends', () => {
  it('by a crash leaves its claim, which lapses', async () => {
    await using receiver = await startReceiver()
    await using api = await start({ role: 'api', env: telling(receiver) })
    await change(api, 'ord_1', 2)
    const { db } = api.context
    const lapsesAt = Date.now() + 1500
    const lost = await claimLanes(db.pool, db.schema, { url: receiver.url, limit: 20, now: new Date(), until: new Date(lapsesAt) })
    await using _worker = await start({ role: 'worker', env: telling(receiver), database: api.database })

    await waitForTaken(receiver, 'ord_1', 2)

    expect(lost).toHaveLength(1)
    expect(Date.now()).toBeGreaterThanOrEqual(lapsesAt)
    expect(sequences(receiver.taken('ord_1'))).toEqual([1, 2])
  })

  it('in order cuts off what is not answered, and gives it back at once and uncounted', async () => {
    let isStuck = true
    await using receiver = await startReceiver(() => (isStuck ? new Promise(() => {}) : 204))
    await using api = await start({ role: 'api', env: telling(receiver) })
    await change(api, 'ord_1', 1)
    const worker = await startTestGateway({ role: 'worker', env: telling(receiver), database: api.database })
    await waitUntil('it is being sent', () => receiver.received.length === 1)

    const stoppedAt = Date.now()
    await worker.stop()
    const seconds = (Date.now() - stoppedAt) / 1000
    isStuck = false
    await using _next = await start({ role: 'worker', env: telling(receiver), database: api.database })
    await waitForTaken(receiver, 'ord_1', 1)

    expect(seconds).toBeLessThan(8)
    const [message] = (await waitUntil('it is settled', async () => {
      const messages = await findMessages(api, 'status=delivered')
      return messages.length > 0 && messages
    })) as Json
    expect(message.dispatches).toMatchObject([{ attempts: 1 }])
  })
})
