import type { ObjectRef } from '../../../src/events/payment-fact.ts'
import type { Registration } from './model/world.ts'

export type StripeJson = { id: string; object: string; [field: string]: unknown }

/** A webhook event as Stripe sends it. */
export type StripeEvent = {
  id: string
  object: 'event'
  account?: string
  api_version: string
  created: number
  data: { object: StripeJson }
  livemode: boolean
  pending_webhooks: number
  request: { id: null; idempotency_key: null }
  type: string
}

/** A position is the number of events that happened before. */
export type StoryRegistration = Registration & { position: number }
/** `object` is any alias of a payment that an event before the position spoke of. */
export type StoryLink = { position: number; linkId: string; object: ObjectRef; orderId: string }

export type Story = {
  /** Those that were delivered, in the order of happening; an id that comes twice has another body the second time. */
  events: StripeEvent[]
  registrations: StoryRegistration[]
  links: StoryLink[]
  /** Every order that the story may name. */
  orderIds: string[]
}

export const EVENT_TYPES = [
  'payment_intent.created',
  'payment_intent.processing',
  'payment_intent.requires_action',
  'payment_intent.amount_capturable_updated',
  'payment_intent.partially_funded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'payment_intent.succeeded',
  'charge.pending',
  'charge.succeeded',
  'charge.failed',
  'charge.captured',
  'charge.expired',
  'charge.refunded',
  'charge.updated',
  'charge.refund.updated',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'invoice.paid',
  'invoice.payment_succeeded',
  'invoice.payment_failed',
  'invoice.voided',
  'invoice_payment.paid',
] as const
export type EventType = (typeof EVENT_TYPES)[number]
