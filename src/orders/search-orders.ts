import type { Order } from '../generated/prisma/client.ts'
import type { Database } from '../platform/database.ts'
import { prefixBounds } from '../platform/prefix.ts'
import { keysOf } from './object-key.ts'

export type FoundOrders = { orders: Order[] /** Whether the text is the order's own id. */; isOwnId: boolean }
type Query = {
  text: string
  providers: string[]
  limit: number
  /** Orders that are known to belong to it. */
  orderIds: string[]
  /** Ids that are known to stand with it. */
  ids: string[]
}

/** Orders by their id, by the text or what stands with it as an id of their payments, or those that are known; else those whose ids begin with the text. The last updated first. */
export async function searchOrders(db: Database, { text, providers, limit, orderIds, ids: related }: Query): Promise<FoundOrders> {
  const own = await db.prisma.order.findUnique({ where: { orderId: text } })
  if (own) return { orders: [own], isOwnId: true }
  const ids = new Set([...orderIds, ...(await findByPayment(db, [text, ...related], providers))])
  if (ids.size === 0) for (const id of await findByPrefix(db, text, limit)) ids.add(id)
  const where = { orderId: { in: [...ids] } }
  return {
    orders: await db.prisma.order.findMany({ where, orderBy: [{ updatedAt: 'desc' }, { orderId: 'desc' }], take: limit }),
    isOwnId: false,
  }
}

async function findByPayment({ pool, schema }: Database, names: string[], providers: string[]): Promise<string[]> {
  const { rows } = await pool.query<{ order_id: string }>(
    `select distinct p.order_id from ${schema}.payment_objects named
       join ${schema}.payment_objects o using (provider, cluster_key)
       join ${schema}.payments p on p.provider = o.provider and p.object_key = o.object_key
     where named.provider = any($1) and named.object_key = any($2) and p.order_id is not null`,
    [providers, names.flatMap(keysOf)],
  )
  return rows.map((row) => row.order_id)
}

async function findByPrefix({ pool, schema }: Database, text: string, limit: number): Promise<string[]> {
  const { rows } = await pool.query<{ order_id: string }>(
    `select order_id from ${schema}.orders where order_id >= $1 and order_id < $2 order by order_id limit $3`,
    [...prefixBounds(text), limit],
  )
  return rows.map((row) => row.order_id)
}
