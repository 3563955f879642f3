import type { Context } from '../context.ts'
import type { HandledChange } from '../handlers.ts'
import { findPaymentStories } from '../orders/find-payment-stories.ts'
import type { CausedChange, HistoryEntry, OrderChange, TellChanges } from '../orders/order.ts'
import { findOrderRows } from '../orders/orders-sql.ts'
import { presentOrderState } from '../orders/present-order.ts'
import { insertMessages } from '../outbox/insert-messages.ts'
import { type OrderMessage, toMessage } from '../outbox/order-message.ts'
import type { Transaction } from '../platform/database.ts'
import { createMessageIds } from '../platform/message-id.ts'
import { forHandlers } from './handle-events.ts'
import type { EventJob } from './process-batch.ts'

type Deps = Pick<Context, 'config' | 'db' | 'handlers'>

/**
 * Tells of each order that a transaction changed, in that transaction: the shop's own handler, then one message for each, with a
 * fixed number of statements. Where nobody is to be told, nothing is read or written.
 */
export function createTellChanges({ config, db, handlers }: Deps): TellChanges {
  const { urls, giveUpMs } = config.orderWebhooks
  const createMessageId = createMessageIds()
  const source = config.http.publicUrl ?? 'sluice'
  return async (tx, changes, now) => {
    if (changes.length === 0 || (urls.length === 0 && !handlers.onOrderChange)) return
    const states = await loadStates(tx, db.schema, changes)
    for (const change of changes) await handlers.onOrderChange?.(forHandlers(tx), toHandledChange(change, states))
    if (urls.length === 0) return
    const messages = changes.map((change): OrderMessage => {
      const type = change.from === change.to ? 'order.updated' : `order.${change.to}`
      return toMessage({ ...change, messageId: createMessageId(now), source, type, createdAt: now, data: states.get(change.orderId) })
    })
    await insertMessages(tx, db.schema, { messages, urls, now, expiresAt: new Date(now.getTime() + giveUpMs) })
  }
}

function toHandledChange({ orderId, causationId, correlationId, ...rest }: CausedChange, states: Map<string, object>): HandledChange {
  const order = { ...states.get(orderId) }
  return { ...rest, order_id: orderId, order, correlation_id: correlationId, causation_id: causationId }
}

/** The orders as the API shows them, by id. */
async function loadStates(tx: Transaction, schema: string, changes: CausedChange[]): Promise<Map<string, object>> {
  const orderIds = changes.map(({ orderId }) => orderId)
  const [orders, payments] = await Promise.all([findOrderRows(tx, schema, orderIds), findPaymentStories(tx, schema, orderIds)])
  return new Map(orders.map((order) => [order.orderId, presentOrderState({ order, payments: payments.get(order.orderId) ?? [] })]))
}

/** Of the events of a batch that changed an order, the last one stands for all of them. */
export function findCauses(changes: OrderChange[], history: HistoryEntry[], jobs: EventJob[]): CausedChange[] {
  const causes = new Map(history.filter(({ note }) => note === null).map(({ orderId, messageId }) => [orderId, messageId]))
  const correlationIds = new Map(jobs.map(({ data }) => [data.message_id, data.correlation_id]))
  return changes.map((change) => {
    const causationId = causes.get(change.orderId) ?? null
    return { ...change, causationId, correlationId: correlationIds.get(causationId ?? '') ?? '' }
  })
}
