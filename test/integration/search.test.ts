import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, type Json, waitForEvent } from '../helpers/api.ts'
import { processInTurn } from '../helpers/process-in-turn.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'

let gateway: TestGateway
const orderId = uniqueId('ord')
const mail = `${uniqueId('Mail')}@Example.com`
const charge = uniqueId('ch')
const customer = uniqueId('cus')
const intent = buildIntent({ metadata: { order_id: orderId }, customer, receipt_email: mail, latest_charge: charge })
const paid = buildEvent({ object: intent })
// Names the payment, and no order.
const refunded = buildEvent({
  type: 'refund.updated',
  object: {
    id: uniqueId('re'),
    object: 'refund',
    amount: 500,
    currency: 'usd',
    status: 'succeeded',
    charge,
    payment_intent: intent.id,
    metadata: {},
  },
})
let story: Json

beforeAll(async () => {
  gateway = await startTestGateway()
  for (const event of [paid, refunded]) {
    await deliver(gateway.url, event)
    await waitForEvent(gateway.url, event.id)
  }
  story = (await callApi(gateway.url, `/api/events/${paid.id}`)).body
})
afterAll(() => gateway.stop())

async function search(text: string): Promise<{ orders: string[]; events: string[] }> {
  const { body } = await callApi(gateway.url, `/api/search?q=${encodeURIComponent(text)}`)
  return {
    orders: body.orders.map((order: Json) => order.order_id),
    events: body.events.map((event: Json) => event.event_id).sort(),
  }
}
const both = [paid.id, refunded.id].sort()

describe('GET /api/search finds', () => {
  it.each([
    ['the order and its events by the order number', () => orderId, both],
    ['them by the event id', () => paid.id, [paid.id]],
    ['them by our message id', () => story.message_id, [paid.id]],
    ['them by an e-mail address in any case', () => mail.toUpperCase(), [paid.id]],
    ['them by the customer', () => customer, [paid.id]],
    ['all that names the payment', () => intent.id, both],
    ['all that names the charge', () => charge, both],
    ['the order of a refund that names none', () => refunded.data.object, [refunded.id]],
    ['what begins with the text', () => intent.id.slice(0, -2), both],
    ['the order by how its number begins', () => orderId.slice(0, -1), both],
  ])('%s', async (_what, toText, events) => {
    const text = toText()

    expect(await search(typeof text === 'string' ? text : (text as Json).id)).toEqual({ orders: [orderId], events })
  })

  it('the event of a replay by the job that processes it again', async () => {
    const { body } = await callApi(gateway.url, `/api/events/${paid.id}/replay`, { method: 'POST', body: '{"reason":"a doubt"}' })

    expect(await search(body.job_id)).toEqual({ orders: [orderId], events: [paid.id] })
  })

  it.each(['nobody@example.com', '%', '_', "' or 1=1", 'evt_\u{10ffff}'])('nothing for %s', async (text) => {
    expect(await search(text)).toEqual({ orders: [], events: [] })
  })

  it('no more than it is asked for', async () => {
    const { body } = await callApi(gateway.url, `/api/search?q=${intent.id}&limit=1`)

    expect(body.events).toHaveLength(1)
  })

  it.each(['', '%00', 'x'.repeat(256)])('a reason to ask otherwise in %j', async (text) => {
    expect((await callApi(gateway.url, `/api/search?q=${text}`)).body.code).toBe('request_invalid')
  })
})

describe('the story of one order', () => {
  const story = uniqueId('story')
  const ids = {
    order: `ord_${story}`,
    intent: `pi_${story}`,
    charge: `ch_${story}`,
    session: `cs_${story}`,
    refund: `re_${story}`,
    dispute: `dp_${story}`,
    customer: `cus_${story}`,
    mail: `Ada.${story}@Example.com`,
  }
  const { intent: payment_intent, charge, customer } = ids
  const money = { currency: 'usd', amount: 2000 }
  const events = [
    buildEvent({ object: buildIntent({ id: payment_intent, latest_charge: charge, customer }) }),
    buildEvent({ type: 'charge.succeeded', object: { id: charge, object: 'charge', ...money, captured: true, payment_intent } }),
    buildEvent({ type: 'refund.created', object: { id: ids.refund, object: 'refund', ...money, charge, status: 'pending' } }),
    buildEvent({ type: 'charge.dispute.created', object: { id: ids.dispute, object: 'dispute', ...money, charge, status: 'won' } }),
    buildEvent({
      type: 'checkout.session.completed',
      object: {
        id: ids.session,
        object: 'checkout.session',
        currency: 'usd',
        amount_total: 2000,
        payment_status: 'paid',
        payment_intent,
        client_reference_id: ids.order,
        customer_details: { email: ids.mail },
      },
    }),
  ]
  beforeAll(() => processInTurn(gateway.url, events))

  const told: [string, string][] = Object.entries(ids)
  it.each([...told, ['mail in small letters', ids.mail.toLowerCase()], ['mail in capitals', ids.mail.toUpperCase()]])(
    'is found by its %s',
    async (_what, id) => {
      const { orders, events: found } = await search(id)

      expect(orders).toEqual([ids.order])
      expect(found.length).toBeGreaterThan(0)
    },
  )
})

describe('GET /api/events/{id}', () => {
  it('tells the facts that an event was read as and what it changed', () => {
    expect(story.facts).toMatchObject([
      { fact: 'payment.succeeded', object: { kind: 'payment', id: intent.id }, state: 'succeeded', currency: 'USD', received_minor: 2000 },
    ])
    expect(story.changes).toMatchObject([{ order_id: orderId, from: 'pending', to: 'paid', note: null }])
    expect(story.messages).toEqual([])
  })
})
