import { z } from 'zod'
import { orderFlagSchema, orderStatusSchema } from '../orders/order-filter-schema.ts'
import { listSchema, timeSchema } from '../platform/paging.ts'
import { reasonSchema, storableSchema } from '../platform/text.ts'
import { minor, orderPaymentSchema } from './payment-schema.ts'

/** What began a change, and what made it. */
export const causeShape = {
  correlation_id: z.string().nullable().meta({ description: 'The request that began it; null of what was written before it was kept' }),
  causation_id: z.uuid().nullable().meta({ description: 'The replay, else the event; null where a request itself changed it' }),
}

const historySchema = z.object({
  at: timeSchema,
  from: orderStatusSchema,
  to: orderStatusSchema,
  message_id: z.uuid().nullable().meta({ description: "The event's; null for a registration" }),
  event_id: z.string().nullable(),
  fact: z.string().nullable(),
  replay_id: z.uuid().nullable().meta({ description: 'The replay that processed the event again, where it was one' }),
  note: z.string().nullable(),
  ...causeShape,
})

const summaryShape = {
  order_id: z.string(),
  status: orderStatusSchema,
  currency: z.string().nullable(),
  expected_minor: minor.nullable().meta({ description: 'null until the order is registered' }),
  paid_minor: minor.meta({ description: 'Received, gross, in minor units' }),
  refunded_minor: minor,
  disputed_minor: minor,
  charged_back_minor: minor,
  flags: z.array(orderFlagSchema),
  account: z.string().nullable(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable(),
  created_at: timeSchema,
  updated_at: timeSchema,
}

export const orderSummarySchema = z.object(summaryShape).meta({ id: 'OrderSummary' })
export const orderSchema = z
  .object({ ...summaryShape, payments: z.array(orderPaymentSchema), history: z.array(historySchema) })
  .meta({ id: 'Order' })
export const orderListSchema = listSchema(orderSummarySchema).meta({ id: 'OrderList' })

export const orderIdSchema = z.object({
  order_id: z
    .string()
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u, 'must be 1–255 printable characters')
    .meta({ example: 'ord_1001' }),
})

export const registrationSchema = z
  .strictObject({
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'must be an upper-case ISO 4217 code')
      .meta({ example: 'EUR' }),
    expected_minor: z.int().nonnegative().meta({ description: 'In minor units', example: 2000 }),
    account: storableSchema.min(1).max(255).nullish(),
    metadata: z.record(storableSchema.max(255), z.union([storableSchema, z.number(), z.boolean(), z.null()])).nullish(),
    replace: z.boolean().optional().meta({ description: 'An operator replaces a registration that says something else' }),
    reason: reasonSchema.optional().meta({ description: 'Required with replace' }),
  })
  .refine(({ replace, reason }) => !replace || reason !== undefined, { path: ['reason'], message: 'is required with replace' })
  .meta({ id: 'OrderRegistration' })

export type OrderAnswer = z.infer<typeof orderSchema>
export type OrderSummary = z.infer<typeof orderSummarySchema>
