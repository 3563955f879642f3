import { callApi } from '../../test/helpers/api.ts'
import type { ExpectedOrder } from '../../test/helpers/stories/model/world.ts'
import { pickOrder } from '../../test/helpers/stories/pick-order.ts'
import type { Load } from '../load/load.ts'
import type { Stage } from '../stage/stage.ts'
import { type Expected, expectBatch } from './expect.ts'
import type { Finding } from './finding.ts'
import { judgeEvents } from './judge-events.ts'
import { judgeMessages } from './judge-messages.ts'
import { judgeOrders, judgeUnmatched, type OrderSeen } from './judge-orders.ts'
import { readDatabase, type Stored } from './read-database.ts'

export type Verified = { findings: Finding[]; events: number; orders: number; messages: number; repeats: number }

const READERS = 16

/** Compares what was sent, and what the model makes of it, with the database, the API and what the receiver heard. */
export async function verify({ stage, load }: { stage: Stage; load: Load }, seed: number): Promise<Verified> {
  const stored = await readDatabase(stage.postgres.url)
  const expected = Array.from({ length: load.batches() }, (_, number) => expectBatch(number, seed, load.answered))
  const orders = await seeOrders(expected, stored, stage.urls)
  const expectedOrders = new Map(orders.map((order) => [order.expected.order_id, order.expected]))
  const told = stored.orders.map(({ orderId, sequence }) => ({ orderId, sequence, expected: expectedOrders.get(orderId) }))
  const events = expected.flatMap((batch) => batch.events)
  const { arrivals } = stage.receiver
  const distinct = new Set(arrivals.map(({ id }) => id)).size
  return {
    findings: [
      ...load.unexpected.map((what): Finding => ({ kind: what.includes('forgery') ? 'forged' : 'wrong', what })),
      ...stored.left.map((what): Finding => ({ kind: 'lost', what: `still waiting: ${what}` })),
      ...judgeEvents(events, stored.events),
      ...judgeOrders(orders),
      ...judgeUnmatched(
        expected.flatMap(({ unmatched }) => unmatched),
        stored.unmatched,
      ),
      ...judgeMessages(told, arrivals),
    ],
    events: events.length,
    orders: orders.length,
    messages: distinct,
    repeats: arrivals.length - distinct,
  }
}

/** Each order as the API shows it, asked for over a few connections at once. */
async function seeOrders(expected: Expected[], { orders }: Stored, urls: string[]): Promise<OrderSeen[]> {
  const histories = new Map(orders.map(({ orderId, history }) => [orderId, history]))
  const waiting = expected.flatMap((batch) => batch.orders).entries()
  const seen: OrderSeen[] = []
  const readNext = async () => {
    for (const [index, order] of waiting) {
      const shown = await readOrder(urls[index % urls.length] as string, order.order_id)
      seen.push({ expected: order, shown, history: histories.get(order.order_id) ?? [] })
    }
  }
  await Promise.all(Array.from({ length: READERS }, readNext))
  return seen
}

async function readOrder(url: string, orderId: string): Promise<ExpectedOrder | undefined> {
  const { status, body } = await callApi(url, `/api/orders/${orderId}`)
  if (status === 404) return undefined
  if (status !== 200) throw new Error(`GET /api/orders/${orderId} answered ${status}`)
  return pickOrder(body)
}
