import { isDeepStrictEqual } from 'node:util'
import type { ExpectedOrder } from '../../test/helpers/stories/model/world.ts'
import type { Arrival } from '../stage/receiver.ts'
import type { Finding } from './finding.ts'

/** How many changes of an order others have to hear of, and how it has to end. */
export type ToldOrder = { orderId: string; sequence: number; expected: ExpectedOrder | undefined }

const FIGURES = ['status', 'paid_minor', 'refunded_minor', 'disputed_minor', 'charged_back_minor', 'flags'] as const

/** A message may arrive more than once, with the same id and the same bytes; what never arrived, or differs, is found. */
export function judgeMessages(orders: ToldOrder[], arrivals: Arrival[]): Finding[] {
  const byOrder = Map.groupBy(arrivals, ({ orderId }) => orderId)
  const known = new Set(orders.map(({ orderId }) => orderId))
  const strange = [...byOrder.keys()].filter((orderId) => !known.has(orderId))
  return [
    ...orders.flatMap((order) => judgeOrder(order, byOrder.get(order.orderId) ?? [])),
    ...strange.map((orderId): Finding => ({ kind: 'wrong', what: `a message tells of ${orderId}, which is not stored` })),
    ...judgeIds(arrivals),
  ]
}

function judgeOrder(order: ToldOrder, arrivals: Arrival[]): Finding[] {
  const bySequence = Map.groupBy(arrivals, ({ sequence }) => sequence)
  const numbers = Array.from({ length: order.sequence }, (_, index) => index + 1)
  const never = numbers.filter((number) => !bySequence.get(number)?.some(({ isTaken }) => isTaken))
  const twice = [...bySequence].filter(([, same]) => new Set(same.map(({ id }) => id)).size > 1)
  const tooMany = [...bySequence.keys()].filter((number) => number > order.sequence)
  return [
    ...never.map((number): Finding => ({ kind: 'lost', what: `${order.orderId}: message ${number} of ${order.sequence} never arrived` })),
    ...twice.map(([number]): Finding => ({ kind: 'doubled', what: `${order.orderId}: there are two messages ${number}` })),
    ...tooMany.map(
      (number): Finding => ({ kind: 'wrong', what: `${order.orderId}: message ${number} tells of a change that is not stored` }),
    ),
    ...arrivals.flatMap(judgeArrival),
    ...judgeLast(order, bySequence.get(order.sequence)?.[0]),
  ]
}

/** The next message is not sent before the last one was taken, and none after a later one. */
function judgeArrival({ orderId, sequence, after, order }: Arrival): Finding[] {
  const findings: Finding[] = []
  if (!order) findings.push({ kind: 'wrong', what: `${orderId}: the signature of message ${sequence} does not hold` })
  if (sequence < after) findings.push({ kind: 'wrong', what: `${orderId}: message ${sequence} came after ${after}` })
  if (sequence > after + 1) findings.push({ kind: 'wrong', what: `${orderId}: message ${sequence} came when only ${after} was taken` })
  return findings
}

function judgeLast({ orderId, expected }: ToldOrder, last: Arrival | undefined): Finding[] {
  if (!last?.order || !expected) return []
  const told = { ...last.order, flags: [...((last.order.flags as string[]) ?? [])].sort() } as Record<string, unknown>
  const fields = FIGURES.filter((field) => !isDeepStrictEqual(told[field], expected[field]))
  return fields.map((field) => ({
    kind: 'wrong',
    what: `${orderId}: the last message says ${field} ${told[field]}; the model ${expected[field]}`,
  }))
}

function judgeIds(arrivals: Arrival[]): Finding[] {
  const contents = [...Map.groupBy(arrivals, ({ id }) => id)].map(([id, same]) => ({
    id,
    count: new Set(same.map(({ digest }) => digest)).size,
  }))
  return contents
    .filter(({ count }) => count > 1)
    .map(({ id, count }): Finding => ({ kind: 'doubled', what: `message ${id} has ${count} contents` }))
}
