/** `received`: stored, its job waits or is retried. `parked`: authentic, but a person or a later event has to come first. */
export type EventStatus = 'received' | 'processed' | 'ignored' | 'parked' | 'dead'

/** What an authentic body says about itself; everything but the id and the type may be missing. */
export type EventEnvelope = {
  eventId: string
  type: string
  account: string | null
  livemode: boolean | null
  apiVersion: string | null
  occurredAt: Date | null
}

/** An event that arrived and was verified, about to be stored. */
export type Delivery = EventEnvelope & {
  provider: string
  messageId: string
  correlationId: string
  receivedAt: Date
  /** Which of the configured secrets verified it. */
  secretName: string
  /** Exactly as received. */
  body: Buffer
}

export type RecordOutcome = { kind: 'accepted' | 'duplicate'; eventId: string; messageId: string; jobId: string }

/** An event as the worker reads it; `bodies` has one for each API version in which it was delivered, the first first. */
export type StoredEvent = EventEnvelope & {
  provider: string
  messageId: string
  status: EventStatus
  receivedAt: Date
  bodies: Buffer[]
}

export type ReferenceKind =
  | 'payment_intent'
  | 'charge'
  | 'checkout_session'
  | 'invoice'
  | 'subscription'
  | 'refund'
  | 'dispute'
  | 'customer'
  | 'order'
  | 'email'

/** Something that stands in an event and by which people look for it. */
export type Reference = { kind: ReferenceKind; value: string }
