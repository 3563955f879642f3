import type { PaymentState } from '../events/payment-fact.ts'

/** A payment in the ledger. Each field is a maximum over the facts heard, by the rank beside it. */
export type Payment = {
  provider: string
  paymentId: string
  orderId: string | null
  claimRank: number | null
  claimedAt: Date | null
  state: PaymentState
  stateRank: number
  stateAt: Date
  stateEventId: string
  /** The earliest success heard, which a later refund must not hide. */
  succeededAt: Date | null
  currency: string
  amountMinor: bigint
  receivedMinor: bigint
  receivedRank: number
  refundedMinor: bigint
  account: string | null
  livemode: boolean | null
}

export type PaymentStatus = PaymentState | 'partially_refunded' | 'refunded'

export type OrderStatus =
  | 'pending'
  | 'processing'
  | 'authorized'
  | 'paid'
  | 'partially_paid'
  | 'partially_refunded'
  | 'refunded'
  | 'failed'
  | 'canceled'

export type OrderFlag = 'amount_mismatch' | 'overpaid' | 'unregistered' | 'currency_mismatch'

/** What the merchant said of an order; null where it is known only from payments. */
export type Registration = { currency: string | null; expectedMinor: bigint | null }

/** What follows from the registration and the payments. */
export type DerivedOrder = {
  status: OrderStatus
  currency: string | null
  paidMinor: bigint
  refundedMinor: bigint
  flags: OrderFlag[]
}

export type Order = DerivedOrder & { orderId: string; expectedMinor: bigint | null; registeredAt: Date | null }

export type HistoryEntry = {
  orderId: string
  at: Date
  from: OrderStatus
  to: OrderStatus
  messageId: string | null
  fact: string | null
  note: string | null
}
