import { z } from 'zod'
import { listSchema, pageSchema, timeSchema } from '../platform/paging.ts'
import { reasonSchema } from '../platform/text.ts'

export const minor = z.int().meta({ description: 'Minor units: 2000 is 20.00 USD' })

const paymentStatuses = [
  'created',
  'requires_action',
  'processing',
  'authorized',
  'failed',
  'canceled',
  'succeeded',
  'partially_refunded',
  'refunded',
  'disputed',
  'charged_back',
] as const

const refundSchema = z.object({
  refund_id: z.string(),
  status: z.enum(['pending', 'requires_action', 'succeeded', 'canceled', 'failed']),
  amount_minor: minor,
  currency: z.string(),
})

const disputeSchema = z.object({
  dispute_id: z.string(),
  status: z.enum(['inquiry', 'inquiry_closed', 'open', 'won', 'prevented', 'refunded', 'lost']),
  amount_minor: minor,
  currency: z.string(),
})

const summaryShape = {
  provider: z.string(),
  payment_id: z.string(),
  status: z.enum(paymentStatuses).meta({ id: 'PaymentStatus' }),
  order_id: z.string().nullable().meta({ description: 'The order that it is for; null while nothing names one' }),
  currency: z.string(),
  amount_minor: minor,
  received_minor: minor,
  refunded_minor: minor.meta({ description: 'At most what was received, in minor units' }),
  disputed_minor: minor.meta({ description: 'In open disputes, in minor units' }),
  charged_back_minor: minor,
  account: z.string().nullable(),
  livemode: z.boolean().nullable(),
  first_at: timeSchema.meta({ description: 'When the first that was heard of it happened' }),
}

const paymentSummarySchema = z.object(summaryShape).meta({ id: 'PaymentSummary' })
export const paymentListSchema = listSchema(paymentSummarySchema).meta({ id: 'PaymentList' })

/** A payment among those of an order. */
export const orderPaymentSchema = z
  .object({
    ...summaryShape,
    counts: z.boolean().meta({ description: 'Whether it counts for the order; if not, a flag of the order says why' }),
    refunds: z.array(refundSchema),
    disputes: z.array(disputeSchema),
    references: z.array(z.object({ kind: z.string(), value: z.string() })).meta({ description: 'Its charges, checkouts and invoices' }),
  })
  .meta({ id: 'Payment' })

export const paymentFilterSchema = pageSchema.extend({
  unmatched: z.literal('true').meta({ description: 'Only payments that no order claims; the only list there is' }),
})

export const linkSchema = z
  .strictObject({
    order_id: z
      .string()
      .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u, 'must be 1–255 printable characters')
      .meta({ example: 'ord_1001' }),
    reason: reasonSchema.meta({ example: 'The customer sent the receipt' }),
  })
  .meta({ id: 'PaymentLink' })

export type PaymentSummary = z.infer<typeof paymentSummarySchema>
