import { createHash } from 'node:crypto'
import type { StoredEvent } from '../../../src/events/event.ts'
import type { PaymentFact } from '../../../src/events/payment-fact.ts'
import { interpretEvent } from '../../../src/providers/stripe/interpret-event.ts'
import { readEnvelope } from '../../../src/providers/stripe/read-envelope.ts'
import type { StripeEvent } from './story.ts'

/** What each event of a story says by itself; an id that comes twice is two entries. */
export function factsOfEvents(events: StripeEvent[]): PaymentFact[][] {
  return events.map((event) => {
    const body = Buffer.from(JSON.stringify(event))
    const stored: StoredEvent = {
      ...readEnvelope(body),
      provider: 'stripe',
      messageId: messageIdOf(event),
      status: 'received',
      receivedAt: new Date(0),
      bodies: [body],
    }
    const interpretation = interpretEvent(stored, { orderKeys: ['order_id'] })
    return interpretation.kind === 'facts' ? interpretation.facts : []
  })
}

function messageIdOf({ id }: StripeEvent): string {
  const hex = createHash('sha1').update(id).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `7${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}
