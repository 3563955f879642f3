import { isDeepStrictEqual } from 'node:util'
import type { ExpectedOrder } from '../../test/helpers/stories/model/world.ts'
import type { Finding } from './finding.ts'

/** An order as the model and the API show it, and its history of statuses. */
export type OrderSeen = { expected: ExpectedOrder; shown: ExpectedOrder | undefined; history: { from: string; to: string }[] }

export function judgeOrders(orders: OrderSeen[]): Finding[] {
  return orders.flatMap(judgeOrder)
}

function judgeOrder({ expected, shown, history }: OrderSeen): Finding[] {
  const { order_id: orderId } = expected
  if (!shown) return [{ kind: 'wrong', what: `${orderId} is not there; the model says ${expected.status}` }]
  const fields = (Object.keys(expected) as (keyof ExpectedOrder)[]).filter((field) => !isDeepStrictEqual(shown[field], expected[field]))
  const differences = fields.map(
    (field): Finding => ({ kind: 'wrong', what: `${orderId}: ${field} is ${show(shown[field])}; the model says ${show(expected[field])}` }),
  )
  return isChain(history, shown.status)
    ? differences
    : [...differences, { kind: 'wrong', what: `${orderId}: its history does not lead to \`${shown.status}\`: ${show(history)}` }]
}

/** Each change begins where the last one ended; one that is missing or there twice breaks it. */
function isChain(history: OrderSeen['history'], status: string): boolean {
  const ends = ['pending', ...history.map(({ to }) => to)]
  return history.every(({ from }, index) => from === ends[index]) && ends.at(-1) === status
}

function show(value: unknown): string {
  return JSON.stringify(value)
}

export function judgeUnmatched(expected: string[], stored: string[]): Finding[] {
  const [wanted, found] = [new Set(expected), new Set(stored)]
  const missing = expected.filter((id) => !found.has(id))
  const strange = stored.filter((id) => !wanted.has(id))
  return [
    ...missing.map((id): Finding => ({ kind: 'wrong', what: `${id} is not among the payments without an order` })),
    ...strange.map((id): Finding => ({ kind: 'wrong', what: `${id} has no order; the model knows one` })),
  ]
}
