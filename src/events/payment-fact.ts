export type PaymentState = 'created' | 'requires_action' | 'processing' | 'authorized' | 'failed' | 'canceled' | 'succeeded'

/** What spoke, from the most exact to the least: the payment itself, a charge of it, a checkout around it. */
export type FactSource = 'payment' | 'charge' | 'checkout'

/**
 * What one event says of one payment, in our own words. Amounts are minor units. Facts are merged by maxima,
 * so any order and any repetition of them ends in the same payment.
 */
export type PaymentFact = {
  name: string
  provider: string
  paymentId: string
  source: FactSource
  /** Absent where the event says nothing of the state, as a refund does of its charge. */
  state?: PaymentState
  /** The order that the event names for the payment. */
  orderId?: string
  currency: string
  amountMinor: bigint
  /** What has arrived in all, so far as this event knows. */
  receivedMinor: bigint
  /** What has gone back in all, so far as this event knows. */
  refundedMinor: bigint
  account: string | null
  livemode: boolean | null
  occurredAt: Date
  eventId: string
  messageId: string
}
