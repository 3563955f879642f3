import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { Delivery } from '../../src/events/event.ts'
import { foldRepeats } from '../../src/events/fold-deliveries.ts'
import { at } from '../helpers/build-fact.ts'

function buildDelivery(overrides: Partial<Delivery> = {}): Delivery {
  return {
    provider: 'stripe',
    eventId: 'evt_1',
    type: 'payment_intent.succeeded',
    account: null,
    livemode: false,
    apiVersion: '2026-10-28.endive',
    occurredAt: at(0),
    messageId: '01900000-0000-7000-8000-000000000001',
    correlationId: 'correlation-1',
    receivedAt: at(1),
    secretName: 'main',
    body: Buffer.from('{}'),
    ...overrides,
  }
}

describe('foldRepeats', () => {
  it('gives nothing for nothing', () => {
    expect(foldRepeats([])).toEqual([])
  })

  it('keeps the first delivery of an event, counts the others, and knows when the last came', () => {
    const [first, second, third] = [1, 2, 3].map((second) => buildDelivery({ receivedAt: at(second), messageId: `message-${second}` })) as [
      Delivery,
      Delivery,
      Delivery,
    ]

    const [folded, ...rest] = foldRepeats([first, second, third])

    expect(folded).toMatchObject({ copies: 3, lastReceivedAt: at(3), otherVersions: [] })
    expect(folded?.delivery).toBe(first)
    expect(rest).toEqual([])
  })

  it('keeps apart the same event id of two providers', () => {
    const folded = foldRepeats([buildDelivery({ provider: 'stripe' }), buildDelivery({ provider: 'adyen' })])

    expect(folded.map(({ delivery, copies }) => [delivery.provider, copies])).toEqual([
      ['adyen', 1],
      ['stripe', 1],
    ])
  })

  it('keeps apart ids and providers that would be one text when joined', () => {
    const folded = foldRepeats([
      buildDelivery({ eventId: 'evt', provider: '1stripe' }),
      buildDelivery({ eventId: 'evt1', provider: 'stripe' }),
    ])

    expect(folded).toHaveLength(2)
  })

  it('keeps one further delivery for each other API version', () => {
    const versions = ['2024-06-20', '2026-10-28.endive', '2024-06-20', null, '2026-10-28.endive', null]

    const [folded] = foldRepeats(versions.map((apiVersion, index) => buildDelivery({ apiVersion, messageId: `message-${index}` })))

    expect(folded?.copies).toBe(6)
    expect(folded?.delivery.messageId).toBe('message-0')
    expect(folded?.otherVersions.map(({ apiVersion, messageId }) => [apiVersion, messageId])).toEqual([
      ['2026-10-28.endive', 'message-1'],
      [null, 'message-3'],
    ])
  })

  it('sorts by event id, whatever the order of arrival', () => {
    const folded = foldRepeats(['evt_b', 'evt_a', 'evt_B', 'evt_10', 'evt_9'].map((eventId) => buildDelivery({ eventId })))

    expect(folded.map(({ delivery }) => delivery.eventId)).toEqual(['evt_10', 'evt_9', 'evt_B', 'evt_a', 'evt_b'])
  })

  it('loses and invents no delivery, and sorts any two batches alike', () => {
    const delivery = fc.record({ eventId: fc.constantFrom('evt_1', 'evt_2', 'evt_3'), provider: fc.constantFrom('stripe', 'adyen') })

    fc.assert(
      fc.property(fc.array(delivery.map(buildDelivery)), (deliveries) => {
        const folded = foldRepeats(deliveries)
        const keys = folded.map(({ delivery: { eventId, provider } }) => `${eventId} ${provider}`)
        expect(folded.reduce((sum, { copies }) => sum + copies, 0)).toBe(deliveries.length)
        expect(keys).toEqual([...new Set(deliveries.map(({ eventId, provider }) => `${eventId} ${provider}`))].sort())
      }),
    )
  })
})
