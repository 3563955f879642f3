import { createHmac } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { toMessage } from '../../src/outbox/order-message.ts'
import { retryDelayMs } from '../../src/outbox/retry-delay.ts'
import { signMessage } from '../../src/outbox/sign-message.ts'

const content = {
  messageId: '01900000-0000-7000-8000-000000000001',
  orderId: 'ord_1',
  sequence: 3,
  type: 'order.paid',
  correlationId: 'corr-1',
  causationId: '01900000-0000-7000-8000-000000000002',
  createdAt: new Date('2026-12-01T00:00:00.000Z'),
  source: 'sluice',
  data: { order_id: 'ord_1', status: 'paid' },
}

describe('an order message', () => {
  it('is a CloudEvent with the order as its data', () => {
    const { body } = toMessage(content)

    expect(JSON.parse(body)).toEqual({
      specversion: '1.0',
      id: content.messageId,
      source: 'sluice',
      type: 'order.paid',
      subject: 'ord_1',
      time: '2026-12-01T00:00:00.000Z',
      datacontenttype: 'application/json',
      correlationid: 'corr-1',
      causationid: content.causationId,
      sequence: 3,
      data: { order_id: 'ord_1', status: 'paid' },
    })
  })

  it('names no cause where no event was one', () => {
    expect(JSON.parse(toMessage({ ...content, causationId: null }).body)).not.toHaveProperty('causationid')
  })

  it('has attributes that CloudEvents allows: lower-case letters and digits, of a simple type', () => {
    const { data: _data, ...attributes } = JSON.parse(toMessage(content).body)

    for (const [name, value] of Object.entries(attributes)) {
      expect(name).toMatch(/^[a-z0-9]{1,20}$/)
      expect(['string', 'number']).toContain(typeof value)
    }
  })
})

describe('the signature of a message', () => {
  const key = Buffer.from('a key of twenty-four byt')
  const other = Buffer.from('another key of 32 bytes, or more')
  const timestampSeconds = Math.floor(Date.now() / 1000)
  const body = '{"a":"ä"}'
  const signed = { messageId: content.messageId, timestampSeconds, body }

  it('is the HMAC over id, time and body', () => {
    const bytes = Buffer.concat([Buffer.from(`${content.messageId}.${timestampSeconds}.`), Buffer.from(body)])

    expect(signMessage(signed, [key])).toBe(`v1,${createHmac('sha256', key).update(bytes).digest('base64')}`)
  })

  it.each([
    ['the old', key],
    ['the new', other],
  ])('is good for a receiver with %s secret while it is changed', (_, known) => {
    const headers = {
      'webhook-id': content.messageId,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signMessage(signed, [key, other]),
    }
    const receiver = new Webhook(`whsec_${known.toString('base64')}`)

    expect(receiver.verify(body, headers)).toEqual({ a: 'ä' })
    expect(() => receiver.verify(`${body} `, headers)).toThrow('No matching signature found')
  })
})

describe('retryDelayMs', () => {
  it('doubles from a second up to a quarter of an hour', () => {
    const delays = [1, 2, 3, 10, 11, 12, 1000].map((attempt) => retryDelayMs(attempt, () => 1) / 1000)

    expect(delays).toEqual([1, 2, 4, 512, 900, 900, 900])
  })

  it('is at least half of that', () => {
    expect(retryDelayMs(3, () => 0)).toBe(2000)
  })
})
