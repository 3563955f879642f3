import { type Payment, Prisma } from '../generated/prisma/client.ts'
import type { Database } from '../platform/database.ts'

export type PaymentPosition = { createdAt: Date; provider: string; paymentId: string }
export type PaymentPage = { limit: number; before?: PaymentPosition | undefined }

/** Payments that no order claims, the last heard of first, from below the position `before`. */
export async function listUnmatchedPayments({ prisma, schema }: Database, page: PaymentPage): Promise<Payment[]> {
  const ids = await prisma.$queryRaw<{ provider: string; payment_id: string }[]>(selectUnmatched(schema, page))
  return prisma.payment.findMany({
    where: { OR: ids.map(({ provider, payment_id: paymentId }) => ({ provider, paymentId })) },
    orderBy: [{ createdAt: 'desc' }, { provider: 'desc' }, { paymentId: 'desc' }],
  })
}

export function selectUnmatched(schema: string, { limit, before }: PaymentPage): Prisma.Sql {
  const position = before
    ? Prisma.sql`and (created_at, provider, payment_id) < (${before.createdAt}, ${before.provider}, ${before.paymentId})`
    : Prisma.empty
  return Prisma.sql`select provider, payment_id from ${Prisma.raw(`${schema}.payments`)} where order_id is null ${position}
    order by created_at desc, provider desc, payment_id desc limit ${limit}`
}
