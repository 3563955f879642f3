import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { callApi, getOrder, type Json, waitForEvent } from '../helpers/api.ts'
import { MESSAGE_SECRET, type Receiver, startReceiver, telling } from '../helpers/message-receiver.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { waitUntil } from '../helpers/wait-until.ts'

let receiver: Receiver
let gateway: TestGateway
beforeAll(async () => {
  receiver = await startReceiver()
  gateway = await startTestGateway({ env: { ...telling(receiver), PUBLIC_URL: 'https://pay.example.com' } })
})
afterAll(async () => {
  await gateway.stop()
  await receiver[Symbol.asyncDispose]()
})

const put = (orderId: string, body: object, headers: Record<string, string> = {}) =>
  callApi(gateway.url, `/api/orders/${orderId}`, { method: 'PUT', body: JSON.stringify(body), headers })
const rows = async (sql: string, values: unknown[] = []): Promise<Json[]> => (await gateway.context.db.pool.query(sql, values)).rows

async function taken(orderId: string, count: number): Promise<Json[]> {
  await waitUntil(`${count} messages of ${orderId}`, () => receiver.taken(orderId).length >= count)
  return receiver.taken(orderId)
}

/** Sends an event and waits for its end; returns it as the API shows it. */
async function process(event: { id: string }): Promise<Json> {
  await deliver(gateway.url, event)
  return waitForEvent(gateway.url, event.id)
}

describe('order messages', () => {
  it('tell of the registration, of each change with its cause, and grow in sequence', async () => {
    const [orderId, intent] = [uniqueId('ord'), uniqueId('pi')]
    await put(orderId, { currency: 'USD', expected_minor: 2000 }, { 'X-Correlation-Id': 'registered-1' })
    const paid = await process(buildEvent({ object: buildIntent({ id: intent, metadata: { order_id: orderId } }) }))
    const charge = { id: uniqueId('ch'), object: 'charge', amount: 2000, amount_refunded: 2000, currency: 'usd', payment_intent: intent }
    const refunded = await process(buildEvent({ type: 'charge.refunded', object: charge }))

    const messages = await taken(orderId, 3)

    expect(messages).toMatchObject([
      { type: 'order.updated', sequence: 1, correlationid: 'registered-1', data: { status: 'pending', expected_minor: 2000 } },
      { type: 'order.paid', sequence: 2, correlationid: paid.correlation_id, causationid: paid.message_id },
      { type: 'order.refunded', sequence: 3, correlationid: refunded.correlation_id, causationid: refunded.message_id },
    ])
    expect(messages[0]).not.toHaveProperty('causationid')
    for (const message of messages) expect(message).toMatchObject({ source: 'https://pay.example.com', subject: orderId })
    const { history: _history, ...state } = await getOrder(gateway.url, orderId)
    expect(messages[2].data).toEqual(state)
  })

  it('tell of a link, also the order that lost the payment', async () => {
    const [wrong, right, intent] = [uniqueId('ord'), uniqueId('ord'), uniqueId('pi')]
    await process(buildEvent({ object: buildIntent({ id: intent, metadata: { order_id: wrong } }) }))

    const body = JSON.stringify({ order_id: right, reason: 'a typo' })
    await callApi(gateway.url, `/api/payments/stripe/${intent}/link`, { method: 'POST', body, headers: { 'X-Correlation-Id': 'linked-1' } })

    expect((await taken(right, 1))[0]).toMatchObject({ type: 'order.paid', sequence: 1, correlationid: 'linked-1' })
    expect((await taken(wrong, 2))[1]).toMatchObject({ type: 'order.pending', sequence: 2, data: { payments: [] } })
  })

  it('are signed so that a receiver can verify them, and as CloudEvents', async () => {
    const orderId = uniqueId('ord')
    await put(orderId, { currency: 'USD', expected_minor: 2000 })
    await taken(orderId, 1)

    const { headers, body, message } = receiver.received.find((one) => one.message.subject === orderId) as Json

    expect(new Webhook(MESSAGE_SECRET).verify(body, headers)).toEqual(message)
    expect(headers).toMatchObject({ 'webhook-id': message.id, 'content-type': 'application/cloudevents+json; charset=utf-8' })
  })

  it('do not tell of what changes nothing', async () => {
    const orderId = uniqueId('ord')
    const intent = buildIntent({ metadata: { order_id: orderId } })
    await process(buildEvent({ object: intent }))
    await process(buildEvent({ object: intent }))
    await process(
      buildEvent({ type: 'payment_intent.created', object: { ...intent, status: 'requires_payment_method', amount_received: 0 } }),
    )
    await put(orderId, { currency: 'USD', expected_minor: 2000 })
    await put(orderId, { currency: 'USD', expected_minor: 2000 })

    expect(await rows('select type from sluice.order_messages where order_id = $1 order by sequence', [orderId])).toEqual([
      { type: 'order.paid' },
      { type: 'order.updated' },
    ])
  })

  it('are not there when the transaction fails, and once when it is tried again', async () => {
    const orderId = uniqueId('ord')
    const event = buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) })
    await rows(`create function sluice.refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`)
    await rows(
      'create trigger refuse before insert on sluice.event_attempts for each row when (new.outcome = $$succeeded$$) execute function sluice.refuse()',
    )
    await deliver(gateway.url, event)
    await waitUntil('an attempt failed', async () => (await callApi(gateway.url, `/api/events/${event.id}`)).body.attempts?.length > 0)

    const during = await rows('select from sluice.order_messages where order_id = $1', [orderId])
    await rows('drop trigger refuse on sluice.event_attempts')

    expect(during).toEqual([])
    expect(await taken(orderId, 1)).toMatchObject([{ type: 'order.paid', sequence: 1 }])
    await waitForEvent(gateway.url, event.id)
    expect(await rows('select from sluice.order_messages where order_id = $1', [orderId])).toHaveLength(1)
  })

  it('take as many statements for a hundred orders as for one', async () => {
    const { db, tellChanges } = gateway.context
    const count = async (orders: number): Promise<number> => {
      const ids = Array.from({ length: orders }, () => uniqueId('ord'))
      const changes = ids.map(
        (orderId) => ({ orderId, sequence: 1, from: 'pending', to: 'paid', correlationId: 'c', causationId: null }) as const,
      )
      let statements = 0
      await db.transaction((tx) => {
        const query = ((text: string, values?: unknown[]) => {
          statements += 1
          return tx.query(text, values)
        }) as typeof tx.query
        return tellChanges({ ...tx, query }, changes, new Date())
      })
      return statements
    }

    expect([await count(0), await count(1), await count(100)]).toEqual([0, 3, 3])
  })

  it('show as delivered in the API', async () => {
    const orderId = uniqueId('ord')
    await put(orderId, { currency: 'USD', expected_minor: 2000 })
    const [message] = await taken(orderId, 1)

    const shown = await waitUntil('it is settled', async () => {
      const { body } = await callApi(gateway.url, `/api/messages?order_id=${orderId}&status=delivered`)
      return body.data[0]
    })

    const dispatches = [{ receiver: new URL(receiver.url).host, status: 'delivered', attempts: 1, last_error: null }]
    expect(shown).toMatchObject({
      message_id: message.id,
      order_id: orderId,
      sequence: 1,
      type: 'order.updated',
      causation_id: null,
      dispatches,
    })
  })
})

describe('without ORDER_WEBHOOK_URLS', () => {
  it('no message is written', async () => {
    const quiet = await startTestGateway()
    const orderId = uniqueId('ord')
    await callApi(quiet.url, `/api/orders/${orderId}`, { method: 'PUT', body: JSON.stringify({ currency: 'USD', expected_minor: 1 }) })

    const { rows: messages } = await quiet.context.db.pool.query('select from sluice.order_messages')

    expect(messages).toEqual([])
    await quiet.stop()
  })
})
