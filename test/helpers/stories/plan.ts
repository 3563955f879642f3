export const KINDS = [
  'card',
  'failed_card',
  'slow_success',
  'slow_failure',
  'full_capture',
  'partial_capture',
  'expired_authorization',
  'canceled_authorization',
  'partially_funded',
  'paid_session',
  'async_session',
  'failed_async_session',
  'expired_session',
  'free_session',
  'charge_without_intent',
  'paid_invoice',
  'shared_invoice',
  'invoice_out_of_band',
  'voided_invoice',
  'free_invoice',
  'subscription_session',
] as const
export type Kind = (typeof KINDS)[number]

/** What names the order: the intent or charge, what it is wrapped in (session, invoice), both, both with two orders, or nothing. */
export type Naming = 'own' | 'wrapper' | 'both' | 'conflicting' | 'none'

export type RefundCourse = 'at_once' | 'pending' | 'fails' | 'fails_after_success' | 'canceled'
export type DisputeCourse =
  | 'open'
  | 'won'
  | 'lost'
  | 'inquiry'
  | 'closed_inquiry'
  | 'inquiry_then_lost'
  | 'inquiry_then_won'
  | 'charge_refunded'
  | 'prevented'
export type Aftermath =
  | { kind: 'refund'; course: RefundCourse /** Of what is left. */; share: number; isFewEvents: boolean }
  | { kind: 'dispute'; course: DisputeCourse; share: number }

export type PaymentPlan = {
  kind: Kind
  order: number
  naming: Naming
  amount: number
  currency: string
  account: string | null
  livemode: boolean
  apiVersion: string
  /** The shape of the same event when it comes once more. */
  otherVersion: string
  startsAfterSeconds: number
  /** Before each event, over and over. */
  gapsSeconds: number[]
  failedAttempts: number
  billingReason: 'manual' | 'subscription_create' | 'subscription_cycle'
  /** Turns on whatever a kind leaves open. */
  isVariant: boolean
  /** No more events happened so far. */
  endsAfter: number
  aftermath: Aftermath[]
}

export type StoryPlan = {
  seed: number
  payments: PaymentPlan[]
  registrations: { order: number; expectedMinor: number; currency: string; account: string | null; place: number }[]
  links: { target: number; order: number; place: number }[]
  unsubscribed: string[]
  /** Which events, counted round and round, are lost; and which come once more in the other shape. */
  lost: number[]
  twice: number[]
}
