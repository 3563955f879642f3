import { seededRandom } from '../random.ts'
import type { PaymentPlan } from './plan.ts'
import type { EventType, StripeEvent, StripeJson } from './story.ts'

/** How an object looks at this moment to an endpoint of an API version. */
export type Shape = (apiVersion: string) => StripeJson

export type Recorded = { event: StripeEvent; inOtherShape: StripeEvent }

/** Records what happens to one payment, second by second. */
export type Tape = {
  plan: PaymentPlan
  orderId: string
  otherOrderId: string
  recorded: Recorded[]
  now(): number
  newId(prefix: string): string
  /** Time passes, then the event happens. */
  emit(type: EventType, shape: Shape): void
}

export type TapeInput = {
  plan: PaymentPlan
  orderId: string
  otherOrderId: string
  startsAt: number
  newId(prefix: string): string
}

export function createTape({ plan, orderId, otherOrderId, startsAt, newId }: TapeInput): Tape {
  const recorded: Recorded[] = []
  let now = startsAt
  return {
    plan,
    orderId,
    otherOrderId,
    recorded,
    newId,
    now: () => now,
    emit(type, shape) {
      now += plan.gapsSeconds[recorded.length % plan.gapsSeconds.length] ?? 0
      const id = newId('evt')
      const build = (apiVersion: string) => buildStripeEvent({ id, type, created: now, apiVersion, plan, object: shape(apiVersion) })
      recorded.push({ event: build(plan.apiVersion), inOtherShape: build(plan.otherVersion) })
    },
  }
}

type EventInput = { id: string; type: string; created: number; apiVersion: string; plan: PaymentPlan; object: StripeJson }

function buildStripeEvent({ id, type, created, apiVersion, plan, object }: EventInput): StripeEvent {
  return {
    id,
    object: 'event',
    ...(plan.account && { account: plan.account }),
    api_version: apiVersion,
    created,
    // What is recorded must not change when its story goes on.
    data: { object: structuredClone(object) },
    livemode: plan.livemode,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  }
}

/** Ids that are unique by their prefix and number, and whose order says nothing of their age. */
export function createIds(storyPrefix: string, seed: number): (prefix: string) => string {
  const random = seededRandom(seed)
  let count = 0
  return (prefix) => {
    count += 1
    const salt = Math.floor(random() * 36 ** 3)
      .toString(36)
      .padStart(3, '0')
    return `${prefix}_${storyPrefix}${salt}${count}`
  }
}

/** Since https://docs.stripe.com/changelog/basil an uncaptured rest is no refund and invoices have another shape. */
export function isBasil(apiVersion: string): boolean {
  return apiVersion >= '2025-03-31'
}

/** Until 2022-11-15 intents listed their charges and charges their refunds. */
export function hasEmbeddedLists(apiVersion: string): boolean {
  return apiVersion < '2022-11-15'
}

export function listOf(data: unknown[]): object {
  return { object: 'list', data, has_more: false, total_count: data.length }
}
