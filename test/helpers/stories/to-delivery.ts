import { v7 as createUuid } from 'uuid'
import type { Delivery } from '../../../src/events/event.ts'
import { readEnvelope } from '../../../src/providers/stripe/read-envelope.ts'
import type { StripeEvent } from './story.ts'

/** An event of a story as the ingress hands it on, verified. */
export function toDelivery(event: StripeEvent): Delivery {
  const body = Buffer.from(JSON.stringify(event))
  const messageId = createUuid()
  return {
    ...readEnvelope(body),
    provider: 'stripe',
    messageId,
    correlationId: messageId,
    receivedAt: new Date(),
    secretName: 'test',
    body,
  }
}
