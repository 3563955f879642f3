import type { StoredEvent } from '../../events/event.ts'
import type { ObjectRef, PaymentFact } from '../../events/payment-fact.ts'
import type { FactDraft } from './fact-reader.ts'

const KNOWN_CURRENCIES = new Set(Intl.supportedValuesOf('currency'))
const PRINTABLE_ID = /^[\x21-\x7e]{1,255}$/

export type Facts = { facts: PaymentFact[] } | { parked: string }

/**
 * Completes drafts to facts. The first is what the event is about: where it has no id, amount or currency, the event cannot be
 * read. Of the others, those that cannot be read are left out: an event of their own says the same.
 */
export function toFacts(event: StoredEvent, name: string, [main, ...others]: FactDraft[]): Facts {
  const problem = main && problemOf(main)
  if (!main || problem) return { parked: problem ?? 'object_missing' }
  const readable = others.filter((draft) => problemOf(draft) === undefined)
  return { facts: [main, ...readable].map((draft) => toFact(event, name, draft)) }
}

function problemOf({ object, state, amount, settled, currency }: FactDraft): string | undefined {
  if (!isId(object)) return 'payment_id_invalid'
  // A draft without money says only what belongs together.
  if (state === undefined && amount === undefined && currency === undefined) return undefined
  if (typeof (amount ?? settled) !== 'number') return 'amount_missing'
  return currency && KNOWN_CURRENCIES.has(currency.toUpperCase()) ? undefined : 'currency_invalid'
}

function toFact(event: StoredEvent, name: string, draft: FactDraft): PaymentFact {
  const { object, state, startedAt, orderId, currency, isOutOfBand } = draft
  return {
    name: draft.name ?? name,
    provider: event.provider,
    object,
    relatesTo: (draft.relatesTo ?? []).filter((related) => related !== undefined).filter(isId),
    ...(state && { state }),
    ...(currency && { currency: currency.toUpperCase(), ...minor('amountMinor', draft.amount) }),
    ...minor('receivedMinor', draft.received),
    ...minor('settledMinor', draft.settled),
    ...minor('refundedMinor', draft.refunded),
    ...minor('releasedMinor', draft.released),
    ...(isOutOfBand && { isOutOfBand }),
    ...(startedAt && { startedAt }),
    ...(orderId !== undefined && { orderId }),
    account: event.account,
    livemode: event.livemode,
    occurredAt: event.occurredAt ?? event.receivedAt,
    eventId: event.eventId,
    messageId: event.messageId,
  }
}

type AmountField = 'amountMinor' | 'receivedMinor' | 'settledMinor' | 'refundedMinor' | 'releasedMinor'

function minor(field: AmountField, amount: number | null | undefined): { [Field in AmountField]?: bigint } {
  return typeof amount === 'number' ? { [field]: BigInt(amount) } : {}
}

function isId({ id }: ObjectRef): boolean {
  return PRINTABLE_ID.test(id)
}
