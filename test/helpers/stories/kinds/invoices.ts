import { tellAftermath } from '../aftermath.ts'
import type { Charge } from '../charge.ts'
import { cancel, create, failAttempts, type Intent, succeed } from '../intent.ts'
import { type Invoice, newInvoice, showInvoice, showInvoicePayment } from '../invoice.ts'
import { isBasil, type Tape } from '../tape.ts'
import { newSession, showSession } from './sessions.ts'

export function tellPaidInvoice(tape: Tape): void {
  const invoice = newInvoice(tape)
  const charge = collect(tape, invoice, addIntent(tape, invoice, invoice.amount))
  emitPaid(tape, invoice)
  tellAftermath(tape, charge)
}

/** Two payments, each of a part; only basil has them. */
export function tellSharedInvoice(tape: Tape): void {
  const invoice = newInvoice(tape)
  const deposit = Math.floor(invoice.amount * 0.4)
  const charge = collect(tape, invoice, addIntent(tape, invoice, deposit))
  collect(tape, invoice, addIntent(tape, invoice, invoice.amount - deposit))
  emitPaid(tape, invoice)
  tellAftermath(tape, charge)
}

function addIntent(tape: Tape, invoice: Invoice, amount: number): Intent {
  const intent = create(tape, { amount, invoiceId: invoice.id })
  invoice.intents.push(intent)
  return intent
}

function collect(tape: Tape, invoice: Invoice, intent: Intent): Charge {
  failToCollect(tape, invoice, intent, tape.plan.failedAttempts)
  const charge = succeed(tape, intent)
  invoice.paid += intent.received
  if (isBasil(tape.plan.apiVersion)) tape.emit('invoice_payment.paid', showInvoicePayment(tape, invoice, intent))
  return charge
}

function failToCollect(tape: Tape, invoice: Invoice, intent: Intent, times: number): void {
  for (let time = 0; time < times; time += 1) {
    failAttempts(tape, intent, 1)
    invoice.attempts += 1
    tape.emit('invoice.payment_failed', showInvoice(tape, invoice))
  }
}

function emitPaid(tape: Tape, invoice: Invoice): void {
  invoice.status = 'paid'
  tape.emit('invoice.paid', showInvoice(tape, invoice))
  tape.emit('invoice.payment_succeeded', showInvoice(tape, invoice))
}

/** By bank transfer or cash, after the card failed or before it was tried. */
export function tellInvoiceOutOfBand(tape: Tape): void {
  const invoice = newInvoice(tape)
  const intent = addIntent(tape, invoice, invoice.amount)
  failToCollect(tape, invoice, intent, tape.plan.failedAttempts)
  invoice.paid = invoice.amount
  invoice.isOutOfBand = true
  emitPaid(tape, invoice)
  if (tape.plan.isVariant) cancel(tape, intent)
}

export function tellVoidedInvoice(tape: Tape): void {
  const invoice = newInvoice(tape)
  if (tape.plan.isVariant) {
    const intent = addIntent(tape, invoice, invoice.amount)
    failToCollect(tape, invoice, intent, tape.plan.failedAttempts)
    cancel(tape, intent)
  }
  invoice.status = 'void'
  tape.emit('invoice.voided', showInvoice(tape, invoice))
}

export function tellFreeInvoice(tape: Tape): void {
  emitPaid(tape, newInvoice(tape, 0))
}

/** The session knows its invoice, and only the invoice its payment. */
export function tellSubscriptionSession(tape: Tape): void {
  const invoice = newInvoice(tape)
  const session = newSession(tape, { mode: 'subscription', invoiceId: invoice.id })
  const charge = collect(tape, invoice, addIntent(tape, invoice, invoice.amount))
  emitPaid(tape, invoice)
  tape.emit('checkout.session.completed', showSession(tape, session))
  tellAftermath(tape, charge)
}
