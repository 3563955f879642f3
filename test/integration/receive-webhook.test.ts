import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import request from 'supertest'
import { getOrder, waitForEvent } from '../helpers/api.ts'
import { buildEvent, buildIntent, sign, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'

describe('POST /webhooks/stripe', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  function send(event: object) {
    const body = JSON.stringify(event, null, 2)
    return request(gateway.url).post('/webhooks/stripe').set('Stripe-Signature', sign(body)).type('json').send(body)
  }

  it('answers 202, and the event becomes an order status', async () => {
    const orderId = uniqueId('ord')
    const event = buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) })

    const answer = await send(event).expect(202)

    expect(answer.body).toMatchObject({ status: 'accepted', event_id: event.id, correlation_id: answer.headers['x-correlation-id'] })
    expect(answer.headers.location).toBe(`/api/events/${answer.body.message_id}`)
    expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ status: 'processed', reason: null, order_ids: [orderId] })
    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'paid', currency: 'USD', paid_minor: 2000 })
  })

  it('answers 200 and counts it when the same event arrives again', async () => {
    const event = buildEvent()
    const first = await send(event).expect(202)

    const second = await send(event).expect(200)

    expect(second.body).toMatchObject({ status: 'duplicate', message_id: first.body.message_id, job_id: first.body.job_id })
    expect(second.body.correlation_id).not.toBe(first.body.correlation_id)
    expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ duplicate_count: 1 })
  })

  it('answers a problem and stores nothing when the signature does not match', async () => {
    const event = buildEvent()

    const answer = await send({ ...event, id: uniqueId('evt') }).set('Stripe-Signature', sign(JSON.stringify(event)))

    expect(answer.type).toBe('application/problem+json')
    expect(answer.body).toMatchObject({ status: 400, code: 'signature_mismatch' })
    expect(await gateway.context.db.prisma.webhookEvent.count({ where: { eventId: event.id } })).toBe(0)
  })
})
