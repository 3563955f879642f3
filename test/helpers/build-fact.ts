import type { PaymentFact } from '../../src/events/payment-fact.ts'
import type { Books } from '../../src/orders/apply-facts.ts'
import { deriveOrder } from '../../src/orders/derive-order.ts'
import { applyFact, buildLedger, type LedgerObject } from '../../src/orders/ledger.ts'
import { kindOf, refOf } from '../../src/orders/object-key.ts'
import type { Order, Payment } from '../../src/orders/order.ts'
import { type InterpretOptions, interpretEvent } from '../../src/providers/stripe/interpret-event.ts'
import { buildStoredEvent, type StoredOverrides } from './build-stored-event.ts'

/** The `seconds`-th second of one fixed day. */
export function at(seconds: number): Date {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, seconds))
}

/** `names` are the keys of what the object names beside itself. */
export type FactOverrides = Partial<Omit<PaymentFact, 'object' | 'relatesTo'>> & { names?: string[] }

/**
 * What an event says of the object with this key (`charge/ch_1`): 20.00 USD, and where it succeeded that as much was received,
 * unless told otherwise.
 */
export function buildFact(key = 'payment/pi_1', { names = [], ...overrides }: FactOverrides = {}): PaymentFact {
  const amountMinor = overrides.amountMinor ?? 2000n
  const isPaid = overrides.state === 'succeeded' && !['refund', 'dispute'].includes(kindOf(key))
  return {
    name: `${kindOf(key)}.${overrides.state ?? 'updated'}`,
    provider: 'stripe',
    object: refOf(key),
    relatesTo: names.map(refOf),
    currency: 'USD',
    amountMinor,
    ...(isPaid && { receivedMinor: amountMinor }),
    account: null,
    livemode: false,
    occurredAt: at(0),
    eventId: 'evt_1',
    messageId: '01900000-0000-7000-8000-000000000001',
    ...overrides,
  }
}

/** An event that says no more than that these objects belong together. */
export function buildTie(key: string, ...names: string[]): PaymentFact {
  const { currency: _, amountMinor: __, ...fact } = buildFact(key, { name: 'tie', names })
  return fact
}

/** What the ledger keeps of these facts, merged in this order. */
export function hearFacts(facts: PaymentFact[]): LedgerObject[] {
  const ledger = buildLedger([])
  for (const fact of facts) applyFact(ledger, fact)
  return [...ledger.objects.values()]
}

/** A payment of 20.00 USD that succeeded and is for `ord_1`, unless told otherwise. */
export function buildPayment(overrides: Partial<Payment> = {}): Payment {
  const { state = 'succeeded', amountMinor = 2000n, paymentId = 'pi_1', stateAt = at(0) } = overrides
  return {
    provider: 'stripe',
    paymentId,
    objectKey: `payment/${paymentId}`,
    orderId: 'ord_1',
    rivalOrderIds: [],
    status: state,
    state,
    stateAt,
    succeededAt: state === 'succeeded' ? stateAt : null,
    firstAt: stateAt,
    currency: 'USD',
    amountMinor,
    receivedMinor: state === 'succeeded' ? amountMinor : 0n,
    refundedMinor: 0n,
    disputedMinor: 0n,
    chargedBackMinor: 0n,
    flags: [],
    account: null,
    livemode: false,
    ...overrides,
  }
}

/** Books with the orders `ord_1` to `ord_3` as the database makes them, some registered in USD, and no payment. */
export function buildBooks(expected: Record<string, bigint> = {}): Books {
  const orders = ['ord_1', 'ord_2', 'ord_3'].map((orderId): [string, Order] => {
    const expectedMinor = expected[orderId] ?? null
    const currency = expectedMinor === null ? null : 'USD'
    const registration = { orderId, currency, expectedMinor, account: null }
    const registered = { registeredAt: currency && at(0), registeredCurrency: currency, expectedMinor, account: null }
    return [orderId, { orderId, ...registered, ...deriveOrder(registration, []), sequence: 0 }]
  })
  return { ledger: buildLedger([]), orders: new Map(orders), payments: new Map() }
}

/** The facts that the Stripe adapter makes of an event with this `data.object`. */
export function readFacts(
  type: string,
  object: unknown,
  { orderKeys = ['order_id'], ...overrides }: StoredOverrides & Partial<Pick<InterpretOptions, 'orderKeys'>> = {},
): PaymentFact[] {
  const interpretation = interpretEvent(buildStoredEvent(type, object, overrides), { orderKeys })
  if (interpretation.kind !== 'facts') throw new Error(`The event is ${interpretation.kind}: ${interpretation.reason}`)
  return interpretation.facts
}
