import type { Queryable } from '../platform/database.ts'
import { derivePayments } from './derive-payments.ts'
import type { LedgerObject } from './ledger.ts'
import type { PaymentStory } from './order.ts'

/** The payments of each order with their refunds and disputes, the first heard of first; those that only conflict are among them. */
export async function findPaymentStories(db: Queryable, schema: string, orderIds: string[]): Promise<Map<string, PaymentStory[]>> {
  const clusters = Map.groupBy(await loadClusters(db, schema, orderIds), ({ provider, clusterKey }) => `${provider} ${clusterKey}`)
  const payments = [...clusters.values()].flatMap(derivePayments).sort(byFirstWord)
  const stories = new Map(orderIds.map((orderId): [string, PaymentStory[]] => [orderId, []]))
  for (const payment of payments) {
    for (const orderId of new Set([payment.orderId, ...payment.rivalOrderIds])) stories.get(orderId ?? '')?.push(payment)
  }
  return stories
}

async function loadClusters(db: Queryable, schema: string, orderIds: string[]): Promise<LedgerObject[]> {
  const { rows } = await db.query<LedgerObject>(
    `select provider, object_key as key, cluster_key as "clusterKey", heard from ${schema}.payment_objects
     where (provider, cluster_key) in (
       select o.provider, o.cluster_key from ${schema}.payment_objects o join (
         select provider, object_key from ${schema}.payments where order_id = any($1)
         union all
         select provider, object_key from ${schema}.payments where rival_order_ids <> '{}' and rival_order_ids && $1::text[]
       ) p using (provider, object_key))`,
    [orderIds],
  )
  return rows
}

function byFirstWord(left: PaymentStory, right: PaymentStory): number {
  return left.firstAt.getTime() - right.firstAt.getTime() || (left.paymentId < right.paymentId ? -1 : 1)
}
