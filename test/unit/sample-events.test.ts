import { describe, expect, it } from '@jest/globals'
import { buildSample, randomId, SAMPLES } from '../../src/commands/sample-events.ts'
import type { StoredEvent } from '../../src/events/event.ts'
import { interpretEvent } from '../../src/providers/stripe/interpret-event.ts'
import { readEnvelope } from '../../src/providers/stripe/read-envelope.ts'

const OPTIONS = { amountMinor: 2000, currency: 'USD', paymentId: 'pi_1', eventId: 'evt_1', createdSeconds: 1_767_225_600 }

function sampleOf(type: string, options: Partial<typeof OPTIONS & { orderId: string }> = {}): Buffer {
  const sample = SAMPLES[type]
  if (!sample) throw new Error(`There is no sample of ${type}`)
  return Buffer.from(buildSample(type, sample, { ...OPTIONS, ...options }))
}

function interpret(body: Buffer) {
  const receivedAt = new Date('2026-01-01T00:00:05.000Z')
  const event: StoredEvent = {
    ...readEnvelope(body),
    provider: 'stripe',
    messageId: 'message-1',
    status: 'received',
    receivedAt,
    bodies: [body],
  }
  return interpretEvent(event, { orderKeys: ['order_id'] })
}

describe('the sample events', () => {
  it.each(Object.keys(SAMPLES))('have an envelope that is read for %s', (type) => {
    const envelope = readEnvelope(sampleOf(type))

    expect(envelope).toEqual({
      eventId: 'evt_1',
      type,
      account: null,
      livemode: false,
      apiVersion: '2026-10-28.endive',
      occurredAt: new Date('2026-01-01T00:00:00.000Z'),
    })
  })

  it.each(Object.keys(SAMPLES).filter((type) => type !== 'customer.created'))(
    'say of %s what happened to the payment of the order',
    (type) => {
      const interpretation = interpret(sampleOf(type, { orderId: 'ord_1' }))

      expect(interpretation).toMatchObject({
        kind: 'facts',
        facts: [{ orderId: 'ord_1', currency: 'USD', amountMinor: 2000n }],
      })
    },
  )

  it('say of customer.created that there is nothing to do', () => {
    const interpretation = interpret(sampleOf('customer.created'))

    expect(interpretation).toMatchObject({ kind: 'ignored', reason: 'type_not_handled' })
  })

  it('name no order when none is given', () => {
    const interpretation = interpret(sampleOf('checkout.session.completed'))

    expect(interpretation).toMatchObject({ kind: 'facts', facts: [{ relatesTo: [{ kind: 'payment', id: 'pi_1' }] }] })
    expect(interpretation).not.toHaveProperty('facts.0.orderId')
  })

  it.each([
    ['payment.succeeded', 'succeeded', 2000n, undefined],
    ['payment_intent.succeeded', 'succeeded', 2000n, undefined],
    ['checkout.session.completed', 'succeeded', 2000n, undefined],
    ['payment.refunded', 'succeeded', 2000n, 2000n],
    ['charge.refunded', 'succeeded', 2000n, 2000n],
    ['payment.failed', 'failed', undefined, undefined],
    ['payment_intent.payment_failed', 'failed', undefined, undefined],
    ['checkout.session.async_payment_failed', 'failed', undefined, undefined],
    ['payment_intent.created', 'created', undefined, undefined],
    ['payment_intent.processing', 'processing', undefined, undefined],
    ['payment_intent.canceled', 'canceled', undefined, undefined],
  ])('say of %s: %s, received %s, refunded %s', (type, state, receivedMinor, refundedMinor) => {
    const interpretation = interpret(sampleOf(type))

    expect(interpretation).toHaveProperty('facts.0.state', state)
    expect(interpretation).toHaveProperty('facts.0', expect.objectContaining(omitUndefined({ receivedMinor, refundedMinor })))
  })

  it('get an id of their own when none is given', () => {
    const ids = [randomId('evt'), randomId('evt')]

    expect(ids).toEqual([expect.stringMatching(/^evt_[0-9a-f]{24}$/), expect.stringMatching(/^evt_[0-9a-f]{24}$/)])
    expect(ids[0]).not.toBe(ids[1])
  })
})

function omitUndefined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}
