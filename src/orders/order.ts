import type { DisputeState, ObjectRef, PaymentState, RefundState } from '../events/payment-fact.ts'
import type { Transaction } from '../platform/database.ts'

export type Refund = { refundId: string; status: RefundState; amountMinor: bigint; currency: string }
export type Dispute = { disputeId: string; status: DisputeState; amountMinor: bigint; currency: string }

export type PaymentStatus = PaymentState | 'partially_refunded' | 'refunded' | 'disputed' | 'charged_back'
type PaymentFlag = 'out_of_band' | 'inquiry'

/** A payment as the orders see it. */
export type Payment = {
  provider: string
  paymentId: string
  objectKey: string
  orderId: string | null
  /** Orders that other claims name, where no person decided. */
  rivalOrderIds: string[]
  status: PaymentStatus
  state: PaymentState
  /** When what decides the state happened. */
  stateAt: Date
  /** The earliest success heard, which a later refund must not hide. */
  succeededAt: Date | null
  firstAt: Date
  currency: string
  amountMinor: bigint
  receivedMinor: bigint
  /** At most what was received. */
  refundedMinor: bigint
  /** In open disputes. */
  disputedMinor: bigint
  /** Lost in disputes, at most what refunds left. */
  chargedBackMinor: bigint
  flags: PaymentFlag[]
  account: string | null
  livemode: boolean | null
}

/** With what belongs to it, for people. */
export type PaymentStory = Payment & { refunds: Refund[]; disputes: Dispute[]; references: ObjectRef[] }

export type OrderStatus =
  | 'pending'
  | 'processing'
  | 'authorized'
  | 'paid'
  | 'partially_paid'
  | 'partially_refunded'
  | 'refunded'
  | 'disputed'
  | 'charged_back'
  | 'failed'
  | 'canceled'

export type OrderFlag =
  | 'amount_mismatch'
  | 'overpaid'
  | 'unregistered'
  | 'claim_conflict'
  | 'account_mismatch'
  | 'mode_mismatch'
  | 'currency_mismatch'
  | PaymentFlag

/** What the merchant said of an order; null where it is known only from payments, or bound to no account. */
export type Registration = { orderId: string; currency: string | null; expectedMinor: bigint | null; account: string | null }

/** What follows from the registration and the payments. */
export type DerivedOrder = {
  status: OrderStatus
  currency: string | null
  paidMinor: bigint
  refundedMinor: bigint
  disputedMinor: bigint
  chargedBackMinor: bigint
  flags: OrderFlag[]
}

export type Order = DerivedOrder & {
  orderId: string
  registeredAt: Date | null
  registeredCurrency: string | null
  expectedMinor: bigint | null
  account: string | null
  /** How many changes of it others were told of. */
  sequence: number
}

/** A change that others are told of. */
export type OrderChange = { orderId: string; sequence: number; from: OrderStatus; to: OrderStatus }
/** `causationId` is the event that caused it; null where a person or the shop said something. */
export type CausedChange = OrderChange & { correlationId: string; causationId: string | null }
/** Tells others in the transaction that makes the changes, or not at all. */
export type TellChanges = (tx: Transaction, changes: CausedChange[], now: Date) => Promise<void>

export type HistoryEntry = {
  orderId: string
  at: Date
  from: OrderStatus
  to: OrderStatus
  messageId: string | null
  fact: string | null
  note: string | null
  /** The replay that processed the event again, where it was one. */
  replayId: string | null
  /** The request that began it. */
  correlationId: string | null
}
