import { type Order, Prisma } from '../generated/prisma/client.ts'
import type { Database } from '../platform/database.ts'

export type OrderFilter = {
  status?: string | undefined
  flag?: string | undefined
  /** Inclusive. */
  updatedFrom?: Date | undefined
  /** Exclusive. */
  updatedTo?: Date | undefined
}

export type OrderPosition = { updatedAt: Date; orderId: string }
export type OrderPage = { filter: OrderFilter; limit: number; before?: OrderPosition | undefined }

/** The last updated first, from below the position `before`. */
export async function listOrders(db: Database, page: OrderPage): Promise<Order[]> {
  const rows = await db.prisma.$queryRaw<{ order_id: string }[]>(selectOrderIds(db.schema, page))
  return db.prisma.order.findMany({
    where: { orderId: { in: rows.map((row) => row.order_id) } },
    orderBy: [{ updatedAt: 'desc' }, { orderId: 'desc' }],
  })
}

export function selectOrderIds(schema: string, { filter, limit, before }: OrderPage): Prisma.Sql {
  const conditions = [
    before && Prisma.sql`(updated_at, order_id) < (${before.updatedAt}, ${before.orderId})`,
    filter.updatedFrom && Prisma.sql`updated_at >= ${filter.updatedFrom}`,
    filter.updatedTo && Prisma.sql`updated_at < ${filter.updatedTo}`,
    filter.status !== undefined && Prisma.sql`status = ${filter.status}`,
    filter.flag !== undefined && Prisma.sql`flags @> array[${filter.flag}]`,
  ].filter((condition) => condition instanceof Prisma.Sql)
  const where = conditions.length > 0 ? Prisma.sql`where ${Prisma.join(conditions, ' and ')}` : Prisma.empty
  return Prisma.sql`select order_id from ${Prisma.raw(`${schema}.orders`)} ${where} order by updated_at desc, order_id desc limit ${limit}`
}
