import type { Transaction } from '../platform/database.ts'
import { deriveOrder } from './derive-order.ts'
import type { Order, OrderChange, Registration } from './order.ts'
import { insertHistory, updateOrders } from './orders-sql.ts'
import { findPaymentsOfOrders } from './payments-sql.ts'

export type Rederivation = { order: Order; registration: Registration; note: string; correlationId: string; now: Date }

/** Derives a locked order anew because a person or the shop said something of it; that stands in its history even where nothing changed. */
export async function rederiveOrder(
  tx: Transaction,
  schema: string,
  { order, registration, note, correlationId, now }: Rederivation,
): Promise<OrderChange> {
  const payments = await findPaymentsOfOrders(tx, schema, [order.orderId])
  const derived = deriveOrder(registration, payments)
  const sequence = order.sequence + 1
  await updateOrders(tx, schema, [{ ...order, ...derived, sequence }], now)
  await insertHistory(tx, schema, [
    {
      orderId: order.orderId,
      at: now,
      from: order.status,
      to: derived.status,
      messageId: null,
      fact: null,
      note,
      replayId: null,
      correlationId,
    },
  ])
  return { orderId: order.orderId, sequence, from: order.status, to: derived.status }
}
