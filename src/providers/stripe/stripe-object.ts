import { z } from 'zod'

const id = z.string().min(1).max(255)
/** Stripe gives an id, or the whole object where a request asked to expand it. */
const idOrObject = z
  .union([id, z.object({ id }).transform((object) => object.id)])
  .nullish()
  .catch(undefined)
const text = z.string().nullish().catch(undefined)
const metadata = z.record(z.string(), z.unknown()).nullish().catch(undefined)
/** Amounts are read strictly: JSON.parse rounds what is over 2^53, and a rounded amount is a wrong one. */
const amount = z.int().nonnegative().nullish()

const flag = z.boolean().nullish().catch(undefined)
const seconds = z.number().nonnegative().nullish().catch(undefined)

/** A list inside an object. An item that cannot be read is left out: an event of its own says the same. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .object({ data: z.array(item.nullable().catch(null)) })
    .nullish()
    .catch(undefined)

const embeddedRefundSchema = z.object({ id, amount: z.int().nonnegative(), status: text, currency: text, created: seconds })
/** How an invoice was paid, since https://docs.stripe.com/changelog/basil/2025-03-31/add-support-for-multiple-partial-payments-on-invoices */
const invoicePaymentTargetSchema = z.object({ payment_intent: idOrObject, charge: idOrObject })
const embeddedInvoicePaymentSchema = z.object({
  status: text,
  currency: text,
  amount_paid: z.int().nonnegative().nullish(),
  payment: invoicePaymentTargetSchema,
})
const withMetadata = z.object({ metadata }).nullish().catch(undefined)

/** What the rules read of an object in `data.object`; which of it is there depends on the type. */
export const stripeObjectSchema = z.object({
  id: text,
  object: text,
  status: text,
  currency: text,
  metadata,
  created: seconds,
  amount,
  amount_received: amount,
  amount_captured: amount,
  amount_refunded: amount,
  amount_total: amount,
  amount_due: amount,
  amount_paid: amount,
  captured: flag,
  payment_status: text,
  mode: text,
  client_reference_id: text,
  payment_intent: idOrObject,
  charge: idOrObject,
  latest_charge: idOrObject,
  charges: listOf(z.object({ id })),
  refunds: listOf(embeddedRefundSchema),
  source_transfer: idOrObject,
  invoice: idOrObject,
  subscription: idOrObject,
  customer: idOrObject,
  setup_intent: idOrObject,
  billing_reason: text,
  paid_out_of_band: flag,
  subscription_details: withMetadata,
  parent: z.object({ subscription_details: withMetadata }).nullish().catch(undefined),
  lines: listOf(z.object({ metadata })),
  payments: listOf(embeddedInvoicePaymentSchema),
  payment: invoicePaymentTargetSchema.nullish().catch(undefined),
  email: text,
  receipt_email: text,
  customer_email: text,
  customer_details: z.object({ email: text }).nullish().catch(undefined),
  billing_details: z.object({ email: text }).nullish().catch(undefined),
})

export type StripeObject = z.infer<typeof stripeObjectSchema>

const bodySchema = z.object({
  object: text,
  api_version: text,
  data: z.object({ object: z.unknown() }).nullish().catch(undefined),
  related_object: z.object({ id: text, type: text }).nullish().catch(undefined),
})

export type StripeBody = {
  isThin: boolean
  /** Of these bytes: an event that was delivered twice can have another. */
  apiVersion: string | null
  relatedObject?: { id: string; type: string }
  /** Undefined where the event has none. */
  object?: StripeObject
  /** The amount that cannot be trusted. */
  amountProblem?: string
}

export function readStripeBody(bytes: Buffer): StripeBody {
  const { object: kind, api_version: version, data, related_object: related } = bodySchema.parse(JSON.parse(bytes.toString('utf8')))
  const body = { isThin: kind === 'v2.core.event', apiVersion: version ?? null }
  if (body.isThin) return { ...body, ...(related?.id && related.type && { relatedObject: { id: related.id, type: related.type } }) }
  const parsed = stripeObjectSchema.safeParse(data?.object)
  if (parsed.success) return { ...body, object: parsed.data }
  const badField = parsed.error.issues[0]?.path[0]
  if (badField === undefined) return body
  return { ...body, object: stripeObjectSchema.parse(withoutAmounts(data?.object as object)), amountProblem: String(badField) }
}

function withoutAmounts(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !name.startsWith('amount')))
}
