import type { OrderHistory, Order as OrderRow, Payment as PaymentRow } from '../generated/prisma/client.ts'
import type { Database } from '../platform/database.ts'

export type OrderStory = {
  order: OrderRow
  payments: PaymentRow[]
  history: (OrderHistory & { eventId: string | null })[]
}

export async function findOrder({ prisma }: Database, orderId: string): Promise<OrderStory | null> {
  if (orderId.includes('\0')) return null
  const order = await prisma.order.findUnique({ where: { orderId } })
  if (!order) return null
  const [payments, history] = await Promise.all([
    prisma.payment.findMany({ where: { orderId }, orderBy: [{ createdAt: 'asc' }, { paymentId: 'asc' }] }),
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
