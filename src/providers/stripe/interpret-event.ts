import type { Reference, StoredEvent } from '../../events/event.ts'
import type { PaymentFact } from '../../events/payment-fact.ts'
import type { Interpretation } from '../provider.ts'
import { collectReferences, referenceOfId } from './collect-references.ts'
import { findOrderId } from './find-order-id.ts'
import { PAYMENT_RULES, type PaymentRule } from './payment-rules.ts'
import { readStripeBody, type StripeBody, type StripeObject } from './stripe-object.ts'

const KNOWN_CURRENCIES = new Set(Intl.supportedValuesOf('currency'))
const PRINTABLE_ID = /^[\x21-\x7e]{1,255}$/

/** What a stored Stripe event means for payments. The same event in two API versions says the union of both. */
export function interpretEvent(event: StoredEvent, orderKeys: string[]): Interpretation {
  const readings = event.bodies.map((body) => interpretBody(event, body, orderKeys))
  const references = readings.flatMap((reading) => reading.references)
  const facts = readings.flatMap((reading) => (reading.kind === 'facts' ? reading.facts : []))
  const first = readings.find(({ kind }) => kind === 'parked') ?? readings[0]
  if (facts.length > 0 || !first || first.kind === 'facts') return { kind: 'facts', facts, references }
  return { ...first, references }
}

function interpretBody(event: StoredEvent, bytes: Buffer, orderKeys: string[]): Interpretation {
  const body = readStripeBody(bytes)
  if (body.isThin) return { kind: 'parked', reason: 'thin_event', references: thinReferences(body) }
  const { object } = body
  if (!object) return { kind: 'ignored', reason: PAYMENT_RULES.has(event.type) ? 'object_missing' : 'type_not_handled', references: [] }

  const orderId = findOrderId(object, orderKeys)
  const references = collectReferences(object, orderId ? [orderId] : [])
  const rule = PAYMENT_RULES.get(event.type)
  if (!rule) return { kind: 'ignored', reason: 'type_not_handled', references }
  const ignored = rule.ignore?.(object)
  if (ignored) return { kind: 'ignored', reason: ignored, references }
  return { ...readFact({ event, object, rule, orderId, amountProblem: body.amountProblem }), references }
}

type FactInput = {
  event: StoredEvent
  object: StripeObject
  rule: PaymentRule
  orderId: string | undefined
  amountProblem: string | undefined
}
type Reading = { kind: 'facts'; facts: PaymentFact[] } | { kind: 'parked'; reason: string }

function readFact({ event, object, rule, orderId, amountProblem }: FactInput): Reading {
  const amount = rule.amount(object)
  const currency = object.currency?.toUpperCase()
  const paymentId = rule.paymentId(object)
  const problem = rule.park?.(object)
  if (problem) return { kind: 'parked', reason: problem }
  if (amountProblem) return { kind: 'parked', reason: `${amountProblem}_invalid` }
  if (typeof amount !== 'number') return { kind: 'parked', reason: 'amount_missing' }
  if (!currency || !KNOWN_CURRENCIES.has(currency)) return { kind: 'parked', reason: 'currency_invalid' }
  if (!paymentId || !PRINTABLE_ID.test(paymentId)) return { kind: 'parked', reason: 'payment_id_invalid' }

  const state = rule.state(object)
  const fact: PaymentFact = {
    name: rule.fact,
    provider: event.provider,
    paymentId,
    source: rule.source,
    ...(state && { state }),
    ...(orderId && { orderId }),
    currency,
    amountMinor: BigInt(amount),
    receivedMinor: BigInt(rule.received?.(object) ?? 0),
    refundedMinor: BigInt(rule.refunded?.(object, event.apiVersion) ?? 0),
    account: event.account,
    livemode: event.livemode,
    occurredAt: event.occurredAt ?? event.receivedAt,
    eventId: event.eventId,
    messageId: event.messageId,
  }
  return { kind: 'facts', facts: [fact] }
}

function thinReferences(body: StripeBody): Reference[] {
  const reference = body.relatedObject && referenceOfId(body.relatedObject.id)
  return reference ? [reference] : []
}
