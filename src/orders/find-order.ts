import type { OrderHistory, Order as OrderRow } from '../generated/prisma/client.ts'
import type { Database, Queryable } from '../platform/database.ts'
import { derivePayments } from './derive-payments.ts'
import type { LedgerObject } from './ledger.ts'
import type { PaymentStory } from './order.ts'

export type OrderStory = {
  order: OrderRow
  payments: PaymentStory[]
  history: (OrderHistory & { eventId: string | null })[]
}

export async function findOrder({ prisma, pool, schema }: Database, orderId: string): Promise<OrderStory | null> {
  if (orderId.includes('\0')) return null
  const order = await prisma.order.findUnique({ where: { orderId } })
  if (!order) return null
  const [payments, history] = await Promise.all([
    findPaymentStories(pool, schema, orderId),
    prisma.orderHistory.findMany({ where: { orderId }, orderBy: { id: 'asc' } }),
  ])
  const messageIds = history.flatMap(({ messageId }) => messageId ?? [])
  const events = await prisma.webhookEvent.findMany({
    where: { messageId: { in: messageIds } },
    select: { messageId: true, eventId: true },
  })
  const eventIds = new Map(events.map(({ messageId, eventId }) => [messageId, eventId]))
  return { order, payments, history: history.map((entry) => ({ ...entry, eventId: eventIds.get(entry.messageId ?? '') ?? null })) }
}

/** The payments of an order with their refunds and disputes, the first heard of first; those that only conflict are among them. */
async function findPaymentStories(db: Queryable, schema: string, orderId: string): Promise<PaymentStory[]> {
  const { rows } = await db.query<LedgerObject>(
    `select provider, object_key as key, cluster_key as "clusterKey", heard from ${schema}.payment_objects
     where (provider, cluster_key) in (
       select o.provider, o.cluster_key from ${schema}.payments p join ${schema}.payment_objects o using (provider, object_key)
       where p.order_id = $1 or (p.rival_order_ids <> '{}' and p.rival_order_ids @> array[$1]))`,
    [orderId],
  )
  const clusters = Map.groupBy(rows, ({ provider, clusterKey }) => `${provider} ${clusterKey}`)
  return [...clusters.values()]
    .flatMap(derivePayments)
    .filter((payment) => payment.orderId === orderId || payment.rivalOrderIds.includes(orderId))
    .sort((left, right) => left.firstAt.getTime() - right.firstAt.getTime() || (left.paymentId < right.paymentId ? -1 : 1))
}
