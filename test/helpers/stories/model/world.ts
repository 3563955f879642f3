import type { ObjectRef, PaymentFact } from '../../../../src/events/payment-fact.ts'

/** A person says which order a payment belongs to, by any object of its story. */
export type Link = { at: Date; linkId: string; object: ObjectRef; orderId: string }
/** At most one for each order: a replaced registration is none any more. */
export type Registration = { orderId: string; currency: string; expectedMinor: bigint; account: string | null }

/** Everything that was ever heard, in any order and however often. */
export type World = { facts: PaymentFact[]; links: Link[]; registrations: Registration[] }

/** What one provider told, and what people linked. */
export type Told = Pick<World, 'facts' | 'links'>

export type ExpectedRefund = { refund_id: string; status: string; amount_minor: number; currency: string }
export type ExpectedDispute = { dispute_id: string; status: string; amount_minor: number; currency: string }

export type ExpectedPayment = {
  provider: string
  payment_id: string
  status: string
  counts: boolean
  currency: string
  amount_minor: number
  received_minor: number
  refunded_minor: number
  account: string | null
  livemode: boolean | null
  refunds: ExpectedRefund[]
  disputes: ExpectedDispute[]
}

/** An order as the API shows it, without times, references and history. */
export type ExpectedOrder = {
  order_id: string
  status: string
  currency: string | null
  expected_minor: number | null
  paid_minor: number
  refunded_minor: number
  disputed_minor: number
  charged_back_minor: number
  flags: string[]
  payments: ExpectedPayment[]
}

export type Expectation = {
  /** Every order that anything names or anybody registered, by id. */
  orders: ExpectedOrder[]
  /** The ids of the payments that no order claims. */
  unmatched: string[]
}
