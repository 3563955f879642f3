import type { OrderHistory } from '../generated/prisma/client.ts'
import type { Database } from '../platform/database.ts'
import { findPaymentStories } from './find-payment-stories.ts'
import type { OrderState } from './present-order.ts'

export type OrderStory = OrderState & {
  history: (OrderHistory & { eventId: string | null })[]
}

export async function findOrder({ prisma, pool, schema }: Database, orderId: string): Promise<OrderStory | null> {
  if (orderId.includes('\0')) return null
  const order = await prisma.order.findUnique({ where: { orderId } })
  if (!order) return null
  const [stories, history] = await Promise.all([
    findPaymentStories(pool, schema, [orderId]),
    prisma.orderHistory.findMany({ where: { orderId }, orderBy: { id: 'asc' } }),
  ])
  const messageIds = history.flatMap(({ messageId }) => messageId ?? [])
  const events = await prisma.webhookEvent.findMany({
    where: { messageId: { in: messageIds } },
    select: { messageId: true, eventId: true },
  })
  const eventIds = new Map(events.map(({ messageId, eventId }) => [messageId, eventId]))
  return {
    order,
    payments: stories.get(orderId) ?? [],
    history: history.map((entry) => ({ ...entry, eventId: eventIds.get(entry.messageId ?? '') ?? null })),
  }
}
