/** Something at the provider that facts are about. A `payment` is what one attempt to collect money is for: a PaymentIntent at Stripe. */
export type ObjectKind = 'payment' | 'charge' | 'checkout' | 'invoice' | 'refund' | 'dispute'
export type ObjectRef = { kind: ObjectKind; id: string }

export type PaymentState = 'created' | 'requires_action' | 'processing' | 'authorized' | 'failed' | 'canceled' | 'succeeded'
export type RefundState = 'pending' | 'requires_action' | 'succeeded' | 'canceled' | 'failed'
/** `inquiry` moves no money, and neither does one that was closed. */
export type DisputeState = 'inquiry' | 'inquiry_closed' | 'open' | 'won' | 'prevented' | 'refunded' | 'lost'

/**
 * What one event says of one object, in our own words. Amounts are minor units, never negative. What an event does not
 * say is absent: a fact can say no more than that two objects belong together.
 */
export type PaymentFact = {
  /** For people: `payment.succeeded`, `refund.updated`, … */
  name: string
  provider: string
  object: ObjectRef
  /** Objects of the same story that the event names beside it: a charge its payment, a refund its charge, an invoice its payments. */
  relatesTo: ObjectRef[]
  /** A refund's or a dispute's own where the object is one. */
  state?: PaymentState | RefundState | DisputeState
  currency?: string
  /** What the object is about in all; this and what was settled always stand beside a currency. */
  amountMinor?: bigint
  /** What has arrived so far: of an intent, of a charge (captured), of a paid checkout or invoice. */
  receivedMinor?: bigint
  /** What an invoice says that this payment paid of it. */
  settledMinor?: bigint
  /** What went back of this charge so far, without what was never captured. */
  refundedMinor?: bigint
  /** What was authorised and never captured, where the provider may have sent that as a refund. */
  releasedMinor?: bigint
  /** The invoice was marked as paid by other means. */
  isOutOfBand?: boolean
  /** When the refund was made; its event can be younger. */
  startedAt?: Date
  /** The order that the object names. */
  orderId?: string
  account: string | null
  livemode: boolean | null
  occurredAt: Date
  eventId: string
  messageId: string
}
