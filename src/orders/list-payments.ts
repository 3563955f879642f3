import { z } from 'zod'
import { type Payment, Prisma } from '../generated/prisma/client.ts'
import type { Database } from '../platform/database.ts'
import { timeSchema } from '../platform/paging.ts'
import { searchTextSchema } from '../platform/text.ts'

type PaymentPosition = { createdAt: Date; provider: string; objectKey: string }
export type PaymentPage = { limit: number; before?: PaymentPosition | undefined }

export const paymentPositionSchema = z.tuple([timeSchema, searchTextSchema, searchTextSchema])

export function readPaymentPosition(position: z.infer<typeof paymentPositionSchema> | undefined): PaymentPosition | undefined {
  return position && { createdAt: new Date(position[0]), provider: position[1], objectKey: position[2] }
}

export function positionOf({ createdAt, provider, objectKey }: PaymentPosition): string[] {
  return [createdAt.toISOString(), provider, objectKey]
}

/** Payments that no order claims, the last heard of first, from below the position `before`. */
export async function listUnmatchedPayments({ prisma, schema }: Database, page: PaymentPage): Promise<Payment[]> {
  const ids = await prisma.$queryRaw<{ provider: string; object_key: string }[]>(selectUnmatched(schema, page))
  return prisma.payment.findMany({
    where: { OR: ids.map(({ provider, object_key: objectKey }) => ({ provider, objectKey })) },
    orderBy: [{ createdAt: 'desc' }, { provider: 'desc' }, { objectKey: 'desc' }],
  })
}

export function selectUnmatched(schema: string, { limit, before }: PaymentPage): Prisma.Sql {
  const position = before
    ? Prisma.sql`and (created_at, provider, object_key) < (${before.createdAt}, ${before.provider}, ${before.objectKey})`
    : Prisma.empty
  return Prisma.sql`select provider, object_key from ${Prisma.raw(`${schema}.payments`)} where order_id is null ${position}
    order by created_at desc, provider desc, object_key desc limit ${limit}`
}
