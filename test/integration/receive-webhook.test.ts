import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { getOrder, waitForEvent } from '../helpers/api.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'

describe('a signed Stripe webhook', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  it('is answered 202 and becomes an order status', async () => {
    const orderId = uniqueId('ord')
    const event = buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) })

    const answer = await deliver(gateway.url, event)

    expect(answer.status).toBe(202)
    expect(answer.body).toMatchObject({ status: 'accepted', event_id: event.id })
    expect(answer.headers.get('location')).toBe(`/api/events/${answer.body.message_id}`)
    expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ status: 'processed', reason: null, order_ids: [orderId] })
    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'paid', currency: 'USD', paid_minor: 2000 })
  })

  it('is answered 200 and counted when it arrives again', async () => {
    const event = buildEvent()
    const first = await deliver(gateway.url, event)

    const second = await deliver(gateway.url, event)

    expect(second.status).toBe(200)
    expect(second.body).toMatchObject({ status: 'duplicate', message_id: first.body.message_id, job_id: first.body.job_id })
    expect(second.body.correlation_id).not.toBe(first.body.correlation_id)
    expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ duplicate_count: 1 })
  })
})
