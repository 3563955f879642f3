import type { StoredEvent } from '../../src/events/event.ts'

export type StoredOverrides = Partial<Omit<StoredEvent, 'bodies'>> & { bodies?: (string | object)[] }

/** A stored Stripe event with this `data.object`; text stands for bytes that no object could give. */
export function buildStoredEvent(type: string, object: unknown, { bodies, ...overrides }: StoredOverrides = {}): StoredEvent {
  const texts = (bodies ?? [{ id: 'evt_1', object: 'event', type, data: { object } }]).map(toText)
  return {
    provider: 'stripe',
    eventId: 'evt_1',
    messageId: '01900000-0000-7000-8000-000000000001',
    type,
    account: null,
    livemode: false,
    apiVersion: '2026-10-28.endive',
    status: 'received',
    occurredAt: new Date('2026-01-01T00:00:00.000Z'),
    receivedAt: new Date('2026-01-01T00:00:05.000Z'),
    ...overrides,
    bodies: texts.map((text) => Buffer.from(text)),
  }
}

/** An event whose `data.object` is this JSON text, for numbers and keys that JavaScript would change. */
export function buildStoredText(type: string, objectText: string): StoredEvent {
  return buildStoredEvent(type, null, { bodies: [`{"id":"evt_1","object":"event","type":"${type}","data":{"object":${objectText}}}`] })
}

function toText(body: string | object): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}
