import type { PaymentState } from '../../events/payment-fact.ts'
import { chargeOfPayment, type FactDraft, type FactRule, own, ref } from './fact-reader.ts'
import { findOrderId } from './find-order-id.ts'
import type { StripeObject } from './stripe-object.ts'

export const INVOICE_RULES: Record<string, FactRule> = {
  'invoice.paid': invoiceRule('invoice.paid', 'the invoice succeeded, with what it received', 'succeeded'),
  'invoice.payment_succeeded': invoiceRule('invoice.paid', 'the invoice succeeded, with what it received', 'succeeded'),
  'invoice.payment_failed': invoiceRule('invoice.payment_failed', 'the invoice is `failed`', 'failed'),
  'invoice.voided': invoiceRule('invoice.voided', 'the invoice is `canceled`', 'canceled'),
  'invoice_payment.paid': {
    fact: 'invoice_payment.paid',
    effect: 'the payment belongs to the invoice, succeeded, and received at least this part of it',
    read: ({ payment, invoice, currency, amount_paid: paid }) => {
      const settled = settledBy(payment, { invoice: ref('invoice', invoice), currency, paid })
      // Paid by other means: the invoice itself says so.
      return settled.length > 0 ? settled : { ignored: 'no_payment_named' }
    },
  },
}

function invoiceRule(fact: string, effect: string, state: PaymentState): FactRule {
  return {
    fact,
    effect,
    read: (invoice, { orderKeys }) => {
      const itself = own('invoice', invoice)
      const payments = (invoice.payments?.data ?? []).filter((payment) => payment !== null)
      const draft: FactDraft = {
        object: itself,
        relatesTo: [
          ref('payment', invoice.payment_intent),
          ref('charge', invoice.charge),
          ...payments.flatMap(({ payment }) => [ref('payment', payment.payment_intent), ref('charge', payment.charge)]),
        ],
        state,
        currency: invoice.currency,
        amount: invoice.amount_due ?? invoice.amount_paid,
        received: invoice.amount_paid ?? undefined,
        ...(invoice.paid_out_of_band === true && { isOutOfBand: true }),
        orderId: orderOfInvoice(invoice, orderKeys),
      }
      const settled = payments
        .filter(({ status }) => status === 'paid')
        .flatMap(({ payment, currency, amount_paid: paid }) =>
          settledBy(payment, { invoice: itself, currency: currency ?? invoice.currency, paid }),
        )
      return [draft, ...chargeOfPayment(invoice.charge, invoice.payment_intent), ...settled]
    },
  }
}

type Settlement = { invoice: ReturnType<typeof ref>; currency: string | null | undefined; paid: number | null | undefined }

function settledBy(payment: StripeObject['payment'], { invoice, currency, paid }: Settlement): FactDraft[] {
  const object = ref('payment', payment?.payment_intent) ?? ref('charge', payment?.charge)
  if (!object) return []
  return [{ name: 'invoice_payment.paid', object, relatesTo: [invoice], state: 'succeeded', currency, settled: paid }]
}

/**
 * An invoice names the order of what it was made for; what a subscription names is the order of its first invoice, since each
 * renewal is a payment of its own.
 */
function orderOfInvoice(invoice: StripeObject, orderKeys: string[]): string | undefined {
  const named = findOrderId(invoice, orderKeys)
  if (named !== undefined || invoice.billing_reason !== 'subscription_create') return named
  const sources = [invoice.subscription_details, invoice.parent?.subscription_details, ...(invoice.lines?.data ?? [])]
  return sources.map((source) => source && findOrderId(source, orderKeys)).find((orderId) => orderId !== undefined && orderId !== null)
}
