import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, type Json, waitForEvent } from '../helpers/api.ts'
import { findFreePort } from '../helpers/free-port.ts'
import { telling } from '../helpers/message-receiver.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'

const IMAGE = '<img src=x onerror=alert(1)>'
const SCRIPT = '</script><script>alert(1)</script>'
const orderId = `${IMAGE} ${uniqueId('ord')}`
const mail = `${IMAGE}@example.com`.toLowerCase()
const event = buildEvent({
  id: `${SCRIPT}${uniqueId('evt')}`,
  type: 'payment_intent.succeeded',
  object: buildIntent({
    metadata: { order_id: orderId, name: IMAGE },
    customer: { id: 'cus_1', object: 'customer', name: SCRIPT },
    description: SCRIPT,
    receipt_email: mail,
  }),
})
const unknown = buildEvent({ type: IMAGE })

describe('markup that a sender wrote', () => {
  let gateway: TestGateway
  let story: Json
  beforeAll(async () => {
    gateway = await startTestGateway({ env: telling({ url: `http://127.0.0.1:${await findFreePort()}` }) })
    for (const one of [event, unknown]) {
      expect((await deliver(gateway.url, one)).status).toBe(202)
      story = await waitForEvent(gateway.url, encodeURIComponent(one.id))
    }
    story = (await callApi(gateway.url, `/api/events/${encodeURIComponent(event.id)}`)).body
  })
  afterAll(() => gateway.stop())

  it('is kept as the text that it is', () => {
    expect(story).toMatchObject({ event_id: event.id, status: 'processed', order_ids: [orderId] })
    expect(story.references).toContainEqual({ kind: 'email', value: mail })
  })

  it.each([
    ['events', () => '/api/events'],
    ['an event', () => `/api/events/${story.message_id}`],
    ['a payload', () => `/api/events/${story.message_id}/payload`],
    ['orders', () => '/api/orders'],
    ['an order', () => `/api/orders/${encodeURIComponent(orderId)}`],
    ['messages', () => '/api/messages'],
    ['what a search found', () => `/api/search?q=${encodeURIComponent(mail)}`],
  ])('is data and no page in the answer with %s', async (_what, toPath) => {
    const { status, body, headers } = await callApi(gateway.url, toPath())

    expect(status).toBe(200)
    expect(JSON.stringify(body)).toContain(IMAGE)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  const inPath = encodeURIComponent(`${SCRIPT}${IMAGE}`)
  it.each([
    ['nowhere', `/${inPath}`],
    ['nowhere in the API', `/api/${inPath}`],
    ['an event that is not there', `/api/events/${inPath}`],
    ['an unknown provider', `/webhooks/${inPath}`],
    ['a filter', `/api/events?status=${inPath}`],
    ['an unknown filter', `/api/events?${inPath}=a`],
    ['a cursor', `/api/orders?cursor=${inPath}`],
    ['the docs', `/docs/${inPath}`],
  ])('is not answered back from an address that names %s', async (_what, path) => {
    const { status, body, headers } = await callApi(gateway.url, path)

    expect([400, 404]).toContain(status)
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(JSON.stringify([body, ...headers])).not.toMatch(/<|%3C/i)
  })
})
