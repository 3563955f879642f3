import fc from 'fast-check'
import { anyPlan } from './any-plan.ts'
import * as invoices from './kinds/invoices.ts'
import * as plain from './kinds/plain-payments.ts'
import * as sessions from './kinds/sessions.ts'
import { placeLinks, placeRegistrations } from './place-people.ts'
import type { Kind, StoryPlan } from './plan.ts'
import type { Story, StripeEvent } from './story.ts'
import { createIds, createTape, type Recorded, type Tape } from './tape.ts'

const STORY_STARTS_AT = Date.UTC(2026, 0, 1) / 1000

const TELLERS: Record<Kind, (tape: Tape) => void> = {
  card: plain.tellCard,
  failed_card: plain.tellFailedCard,
  slow_success: plain.tellSlowSuccess,
  slow_failure: plain.tellSlowFailure,
  full_capture: plain.tellFullCapture,
  partial_capture: plain.tellPartialCapture,
  expired_authorization: plain.tellExpiredAuthorization,
  canceled_authorization: plain.tellCanceledAuthorization,
  partially_funded: plain.tellPartialFunding,
  charge_without_intent: plain.tellChargeWithoutIntent,
  paid_session: sessions.tellPaidSession,
  async_session: sessions.tellAsyncSession,
  failed_async_session: sessions.tellFailedAsyncSession,
  expired_session: sessions.tellExpiredSession,
  free_session: sessions.tellFreeSession,
  paid_invoice: invoices.tellPaidInvoice,
  shared_invoice: invoices.tellSharedInvoice,
  invoice_out_of_band: invoices.tellInvoiceOutOfBand,
  voided_invoice: invoices.tellVoidedInvoice,
  free_invoice: invoices.tellFreeInvoice,
  subscription_session: invoices.tellSubscriptionSession,
}

/** The same plan and prefix are the same story. The prefix keeps the ids of stories in one database apart. */
export function tellStory(plan: StoryPlan, prefix: string): Story {
  // The third is named by links alone.
  const orderIds = ['a', 'b', 'c'].map((letter) => `ord_${prefix}_${letter}`)
  const events = deliver(plan, record(plan, prefix, orderIds))
  return {
    events,
    registrations: placeRegistrations(plan, events, orderIds),
    links: placeLinks(plan, events, orderIds),
    orderIds,
  }
}

/** `count` stories that are the same for the same seed, each with ids of its own. */
export function sampleStories(count: number, seed: number, prefix = 's'): Story[] {
  return fc.sample(anyPlan, { numRuns: count, seed }).map((plan, index) => tellStory(plan, `${prefix}${index}`))
}

/** Everything that happened, in that order: each payment by itself, then one among the others. */
function record(plan: StoryPlan, prefix: string, orderIds: string[]): Recorded[] {
  const newId = createIds(prefix, plan.seed)
  const tapes = plan.payments.map((payment) => {
    const [orderId = '', otherOrderId = ''] = payment.order === 0 ? orderIds : orderIds.slice(0, 2).toReversed()
    const tape = createTape({ plan: payment, orderId, otherOrderId, startsAt: STORY_STARTS_AT + payment.startsAfterSeconds, newId })
    TELLERS[payment.kind](tape)
    return tape.recorded.slice(0, payment.endsAfter)
  })
  return tapes.flat().sort((left, right) => left.event.created - right.event.created)
}

/** What of it the merchant asked for and got, now and then with the other shape of the same event. */
function deliver({ unsubscribed, lost, twice }: StoryPlan, recorded: Recorded[]): StripeEvent[] {
  const isAmong = (places: number[], index: number) => places.some((place) => place % recorded.length === index)
  return recorded.flatMap(({ event, inOtherShape }, index) => {
    if (unsubscribed.includes(event.type) || isAmong(lost, index)) return []
    return isAmong(twice, index) ? [event, inOtherShape] : [event]
  })
}
