import type { ObjectKind, ObjectRef, PaymentFact } from '../../../src/events/payment-fact.ts'
import { expectOrders } from './model/expect-orders.ts'
import type { ExpectedOrder, Link, Registration, World } from './model/world.ts'

const KIND_OF_PREFIX: Record<string, ObjectKind> = {
  pi: 'payment',
  ch: 'charge',
  cs: 'checkout',
  in: 'invoice',
  re: 'refund',
  dp: 'dispute',
}

export type Saying = Partial<Omit<PaymentFact, 'relatesTo' | 'occurredAt' | 'startedAt'>> & {
  with?: string[]
  at?: number
  startedAt?: number
  amount?: bigint
}

function refOf(id: string): ObjectRef {
  return { kind: KIND_OF_PREFIX[id.split('_')[0] ?? ''] ?? 'payment', id }
}

/** The `seconds`-th second of one fixed day. */
function second(seconds: number): Date {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, seconds))
}

/** A fact of the object with this id, whose prefix says its kind; it says no more than is given. */
export function say(id: string, { with: names = [], at = 0, startedAt, amount, ...fields }: Saying = {}): PaymentFact {
  return {
    name: 'payment.updated',
    provider: 'stripe',
    object: refOf(id),
    relatesTo: names.map(refOf),
    account: null,
    livemode: true,
    occurredAt: second(at),
    eventId: `evt_${id}_${at}`,
    messageId: `msg_${id}_${at}`,
    ...(amount !== undefined && { amountMinor: amount, currency: 'USD' }),
    ...(startedAt !== undefined && { startedAt: second(startedAt) }),
    ...fields,
  }
}

/** A payment of 10.00 USD that succeeded for `ord_1`. */
export function paid(id = 'pi_1', saying: Saying = {}): PaymentFact {
  return say(id, { state: 'succeeded', amount: 1000n, receivedMinor: 1000n, orderId: 'ord_1', ...saying })
}

export function registered(expectedMinor: bigint, overrides: Partial<Registration> = {}): Registration {
  return { orderId: 'ord_1', currency: 'USD', expectedMinor, account: null, ...overrides }
}

export function linked(id: string, orderId: string, at = 100): Link {
  return { at: second(at), linkId: `link_${at}`, object: refOf(id), orderId }
}

export function world(facts: PaymentFact[], others: Partial<World> = {}): World {
  return { facts, links: [], registrations: [], ...others }
}

export function orderOf(facts: PaymentFact[], others: Partial<World> = {}, orderId = 'ord_1'): ExpectedOrder {
  const order = expectOrders(world(facts, others)).orders.find((one) => one.order_id === orderId)
  if (!order) throw new Error(`No ${orderId} is expected.`)
  return order
}
