import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, type Json, waitForEvent } from '../helpers/api.ts'
import { type Receiver, startReceiver, telling } from '../helpers/message-receiver.ts'
import { type RefusedOrders, refuseOrders } from '../helpers/refuse-orders.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { waitUntil } from '../helpers/wait-until.ts'

let gateway: TestGateway
let receiver: Receiver
let refused: RefusedOrders
beforeAll(async () => {
  receiver = await startReceiver()
  gateway = await startTestGateway({ env: { ...telling(receiver), JOB_RETRY_LIMIT: '0' } })
  refused = await refuseOrders(gateway.context.db.pool)
})
afterAll(async () => {
  await gateway.stop()
  await receiver[Symbol.asyncDispose]()
})

const rows = async (sql: string, values: unknown[] = []): Promise<Json[]> => (await gateway.context.db.pool.query(sql, values)).rows

/** All that bears the id of one request, found by it alone. */
async function findStory(correlationId: string) {
  const by = (table: string) => rows(`select * from sluice.${table} where correlation_id = $1 order by 1`, [correlationId])
  return {
    events: await by('webhook_events'),
    jobs: await rows(`select id, data from sluice_queue.job where name = 'process-event' and data->>'correlation_id' = $1`, [
      correlationId,
    ]),
    history: await by('order_history'),
    messages: await by('order_messages'),
    audit: await by('audit_log'),
    logs: gateway.logs.filter(({ fields }) => fields.correlation_id === correlationId),
    received: receiver.received.filter(({ message }) => message.correlationid === correlationId),
  }
}

const eventsOf = (logs: { event: string }[]) => logs.map(({ event }) => event)

describe('one story, followed by its ids alone', () => {
  const orderId = uniqueId('ord')
  const event = buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) })
  let messageId: string

  it('leads from the answer to a delivery to the message that a receiver got', async () => {
    const { headers } = await deliver(gateway.url, event)
    const correlationId = headers.get('X-Correlation-Id') as string
    await waitUntil('the receiver was told', async () => gateway.logs.some((line) => line.event === 'message.delivered'))

    const { events, jobs, history, messages, logs, received } = await findStory(correlationId)

    messageId = events[0].message_id
    expect(events).toMatchObject([{ event_id: event.id, causation_id: null }])
    expect(jobs).toMatchObject([{ id: messageId, data: { message_id: messageId, causation_id: messageId } }])
    expect(history).toMatchObject([{ order_id: orderId, message_id: messageId, to: 'paid' }])
    expect(messages).toMatchObject([{ order_id: orderId, causation_id: messageId }])
    expect(received.map(({ message }) => message)).toMatchObject([{ id: messages[0].message_id, causationid: messageId }])
    expect(received[0]?.headers['webhook-id']).toBe(messages[0].message_id)
    expect(eventsOf(logs)).toEqual(['event.recorded', 'event.processed', 'message.delivered'])
    expect(logs.map(({ fields }) => [fields.message_id, fields.causation_id])).toEqual([
      [messageId, undefined],
      [messageId, messageId],
      [messages[0].message_id, messageId],
    ])
    const { body } = await callApi(gateway.url, `/api/orders/${orderId}`)
    expect(body.history).toMatchObject([{ correlation_id: correlationId, causation_id: messageId }])
    expect((await callApi(gateway.url, `/api/events/${messageId}`)).body.changes).toMatchObject([{ correlation_id: correlationId }])
  })

  it('begins anew with the request for a replay, which causes what follows', async () => {
    const broken = uniqueId('ord')
    await refused.refuse(broken)
    const dead = buildEvent({ object: buildIntent({ metadata: { order_id: broken } }) })
    await deliver(gateway.url, dead)
    const { message_id } = await waitForEvent(gateway.url, dead.id)
    await refused.accept(broken)

    const { headers, body } = await callApi(gateway.url, `/api/events/${dead.id}/replay`, {
      method: 'POST',
      body: '{"reason":"mended"}',
      headers: { 'X-Correlation-Id': 'ticket-4711' },
    })
    expect(headers.get('X-Correlation-Id')).toBe('ticket-4711')
    await waitUntil('it is replayed', async () => (await callApi(gateway.url, `/api/jobs/${body.job_id}`)).body.status === 'done')

    const { jobs, history, messages, audit, logs } = await findStory('ticket-4711')

    expect(audit).toMatchObject([{ action: 'event.replayed', subject: { message_id, replay_id: body.replay_id } }])
    expect(jobs).toMatchObject([{ id: body.job_id, data: { message_id, causation_id: body.replay_id } }])
    expect(history).toMatchObject([{ order_id: broken, message_id, replay_id: body.replay_id }])
    expect(messages).toMatchObject([{ order_id: broken, causation_id: message_id }])
    expect(logs.filter((line) => line.event === 'event.processed').map(({ fields }) => fields)).toMatchObject([
      { message_id, causation_id: body.replay_id, replay_id: body.replay_id },
    ])
  })

  it('begins with a registration too', async () => {
    await callApi(gateway.url, `/api/orders/${orderId}`, {
      method: 'PUT',
      body: '{"currency":"USD","expected_minor":5000}',
      headers: { 'X-Correlation-Id': 'checkout-1' },
    })

    const { history, messages } = await findStory('checkout-1')

    expect(history).toMatchObject([{ order_id: orderId, message_id: null, to: 'partially_paid' }])
    expect(messages).toMatchObject([{ order_id: orderId, causation_id: null }])
  })
})
