import type { Config } from '../../config.ts'
import type { Reference, StoredEvent } from '../../events/event.ts'
import type { Interpretation } from '../provider.ts'
import { collectReferences, referenceOfId } from './collect-references.ts'
import type { ReadContext } from './fact-reader.ts'
import { FACT_RULES } from './fact-rules.ts'
import { findOrderId } from './find-order-id.ts'
import { readStripeBody, type StripeBody, type StripeObject } from './stripe-object.ts'
import { toFacts } from './to-facts.ts'

export type InterpretOptions = Pick<Config['stripe'], 'orderKeys' | 'livemode' | 'accounts'>

/** What a stored Stripe event means for payments. The same event in two API versions says the union of both. */
export function interpretEvent(event: StoredEvent, options: InterpretOptions): Interpretation {
  const readings = event.bodies.map((body) => interpretBody(event, body, options))
  const references = readings.flatMap((reading) => reading.references)
  const refused = refuse(event, options)
  if (refused) return { ...refused, references }
  const facts = readings.flatMap((reading) => (reading.kind === 'facts' ? reading.facts : []))
  const first = readings.find(({ kind }) => kind === 'parked') ?? readings[0]
  if (facts.length > 0 || !first || first.kind === 'facts') return { kind: 'facts', facts, references }
  return { ...first, references }
}

type Refused = { kind: 'ignored' | 'parked'; reason: string }

/** An event without account is our own. */
function refuse({ account, livemode }: StoredEvent, options: InterpretOptions): Refused | undefined {
  if (options.livemode !== undefined && livemode !== null && livemode !== options.livemode)
    return { kind: 'ignored', reason: 'mode_mismatch' }
  if (options.accounts !== undefined && account !== null && !options.accounts.includes(account))
    return { kind: 'parked', reason: 'account_unknown' }
  return undefined
}

function interpretBody(event: StoredEvent, bytes: Buffer, options: InterpretOptions): Interpretation {
  const body = readStripeBody(bytes)
  if (body.isThin) return { kind: 'parked', reason: 'thin_event', references: thinReferences(body) }
  const { object } = body
  if (!object) return { kind: 'ignored', reason: FACT_RULES.has(event.type) ? 'object_missing' : 'type_not_handled', references: [] }
  const reading = readObject(event, object, {
    ...options,
    apiVersion: body.apiVersion ?? event.apiVersion,
    amountProblem: body.amountProblem,
  })
  return { ...reading, references: collectReferences(object, ordersNamed(reading, object, options)) }
}

type Read = { kind: 'facts'; facts: Extract<Interpretation, { kind: 'facts' }>['facts'] } | Refused

function readObject(
  event: StoredEvent,
  object: StripeObject,
  { orderKeys, apiVersion, amountProblem }: ReadContext & { amountProblem: string | undefined },
): Read {
  const rule = FACT_RULES.get(event.type)
  if (!rule) return { kind: 'ignored', reason: 'type_not_handled' }
  const reading = rule.read(object, { apiVersion, orderKeys })
  if ('ignored' in reading) return { kind: 'ignored', reason: reading.ignored }
  if ('parked' in reading) return { kind: 'parked', reason: reading.parked }
  if (amountProblem) return { kind: 'parked', reason: `${amountProblem}_invalid` }
  const result = toFacts(event, rule.fact, reading)
  return 'parked' in result ? { kind: 'parked', reason: result.parked } : { kind: 'facts', facts: result.facts }
}

/** People look for an event by the order that it names, also where it could not be read. */
function ordersNamed(reading: Read, object: StripeObject, { orderKeys }: InterpretOptions): string[] {
  const named = reading.kind === 'facts' ? reading.facts.flatMap(({ orderId }) => orderId ?? []) : []
  return [...new Set([...named, findOrderId(object, orderKeys)].filter((orderId) => orderId !== undefined))]
}

function thinReferences(body: StripeBody): Reference[] {
  const reference = body.relatedObject && referenceOfId(body.relatedObject.id)
  return reference ? [reference] : []
}
