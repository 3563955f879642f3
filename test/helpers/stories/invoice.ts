import { type Intent, wrapperOrder } from './intent.ts'
import type { StripeJson } from './story.ts'
import { hasEmbeddedLists, isBasil, listOf, type Shape, type Tape } from './tape.ts'

export type Invoice = {
  id: string
  amount: number
  paid: number
  status: 'open' | 'paid' | 'void'
  isOutOfBand: boolean
  created: number
  attempts: number
  /** Each with what it is to pay. */
  intents: Intent[]
}

export function newInvoice(tape: Tape, amount = tape.plan.amount): Invoice {
  return {
    id: tape.newId('in'),
    amount,
    paid: 0,
    status: 'open',
    isOutOfBand: false,
    created: tape.now(),
    attempts: 0,
    intents: [],
  }
}

export function showInvoice(tape: Tape, invoice: Invoice): Shape {
  return (version) => ({
    id: invoice.id,
    object: 'invoice',
    amount_due: invoice.amount,
    amount_paid: invoice.paid,
    amount_remaining: invoice.amount - invoice.paid,
    attempt_count: invoice.attempts,
    billing_reason: tape.plan.billingReason,
    created: invoice.created,
    currency: tape.plan.currency,
    lines: listOf([{ id: `il_of_${invoice.id}`, object: 'line_item', amount: invoice.amount, metadata: lineMetadata(tape) }]),
    livemode: tape.plan.livemode,
    metadata: tape.plan.billingReason === 'manual' ? orderMetadata(tape) : {},
    status: invoice.status,
    total: invoice.amount,
    ...(isBasil(version) ? basilPart(tape, invoice) : oldPart(tape, invoice, version)),
  })
}

function orderMetadata(tape: Tape): Record<string, string> {
  const orderId = wrapperOrder(tape)
  return orderId === undefined ? {} : { order_id: orderId }
}

/** The subscription's metadata stand on its lines too, or only there. */
function lineMetadata(tape: Tape): Record<string, string> {
  return tape.plan.billingReason === 'manual' ? {} : orderMetadata(tape)
}

function oldPart(tape: Tape, invoice: Invoice, version: string): object {
  const isSubscription = tape.plan.billingReason !== 'manual'
  const latest = invoice.intents.at(-1)
  return {
    charge: latest?.charges[0]?.id ?? null,
    paid: invoice.status === 'paid',
    paid_out_of_band: invoice.isOutOfBand,
    payment_intent: latest?.id ?? null,
    subscription: isSubscription ? `sub_of_${invoice.id}` : null,
    // Older invoices have the metadata on their lines only.
    ...(!hasEmbeddedLists(version) && { subscription_details: isSubscription ? { metadata: orderMetadata(tape) } : null }),
  }
}

function basilPart(tape: Tape, invoice: Invoice): object {
  const isSubscription = tape.plan.billingReason !== 'manual'
  const details = { metadata: orderMetadata(tape), subscription: `sub_of_${invoice.id}` }
  return {
    parent: isSubscription ? { type: 'subscription_details', subscription_details: details, quote_details: null } : null,
    // Events leave the list out, unless the endpoint asks for it.
    ...(tape.plan.isVariant && { payments: listOf(invoice.intents.map((intent) => invoicePayment(tape, invoice, intent))) }),
  }
}

export function showInvoicePayment(tape: Tape, invoice: Invoice, intent: Intent): Shape {
  return () => invoicePayment(tape, invoice, intent)
}

function invoicePayment(tape: Tape, invoice: Invoice, intent: Intent): StripeJson {
  const isPaid = intent.received > 0
  return {
    id: `inpay_of_${intent.id}`,
    object: 'invoice_payment',
    amount_paid: isPaid ? intent.received : null,
    amount_requested: intent.amount,
    created: invoice.created,
    currency: tape.plan.currency,
    invoice: invoice.id,
    is_default: invoice.intents[0] === intent,
    livemode: tape.plan.livemode,
    payment: { type: 'payment_intent', payment_intent: intent.id },
    status: isPaid ? 'paid' : intent.status === 'canceled' ? 'canceled' : 'open',
  }
}
