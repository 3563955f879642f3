import type { ObjectKind, ObjectRef } from '../../../src/events/payment-fact.ts'
import type { StoryPlan } from './plan.ts'
import type { StoryLink, StoryRegistration, StripeEvent } from './story.ts'

const KIND_OF_OBJECT: Record<string, ObjectKind> = {
  payment_intent: 'payment',
  charge: 'charge',
  'checkout.session': 'checkout',
  invoice: 'invoice',
  refund: 'refund',
  dispute: 'dispute',
}

export function placeRegistrations({ registrations }: StoryPlan, events: StripeEvent[], orderIds: string[]): StoryRegistration[] {
  return registrations.map(({ order, expectedMinor, currency, account, place }) => ({
    orderId: orderIds[order] ?? '',
    currency,
    expectedMinor: BigInt(expectedMinor),
    account,
    position: Math.round((events.length * place) / 100),
  }))
}

/** A person can link only what an event has spoken of. */
export function placeLinks({ links }: StoryPlan, events: StripeEvent[], orderIds: string[]): StoryLink[] {
  const spokenOf = events.flatMap((event, index) => objectOf(event).map((object) => ({ object, position: index + 1 })))
  if (spokenOf.length === 0) return []
  return links.map(({ target, order, place }, index) => {
    const { object, position } = spokenOf[target % spokenOf.length] as (typeof spokenOf)[number]
    const later = Math.round(((events.length - position) * place) / 100)
    return { position: position + later, linkId: `link_${index}`, object, orderId: orderIds[order] ?? '' }
  })
}

function objectOf({ data: { object } }: StripeEvent): ObjectRef[] {
  const kind = KIND_OF_OBJECT[object.object]
  return kind ? [{ kind, id: object.id }] : []
}
