import type { ObjectRef, PaymentState } from '../../../../src/events/payment-fact.ts'
import { chargesOf, checkoutsOf, invoicesOf, ownerOfCheckout, paymentOfCharge, tiedPayments } from './belonging.ts'
import { mostSaid, stateFact, successFact } from './kept.ts'
import { factsOf, isSame, objectsOf, sum } from './search.ts'
import type { Told } from './world.ts'

/** Everything that is a payment: by itself, or for want of something more exact. */
export function allPayments(told: Told): ObjectRef[] {
  return [
    ...objectsOf(told, 'payment'),
    ...objectsOf(told, 'charge').filter((charge) => isSame(paymentOfCharge(told, charge), charge)),
    ...objectsOf(told, 'checkout').filter((checkout) => isSame(ownerOfCheckout(told, checkout), checkout)),
    ...objectsOf(told, 'invoice').filter((invoice) => isPaymentItself(told, invoice)),
  ]
}

/** With no tied payment the invoice is a payment, with some only for what exceeds the sum they received. */
function isPaymentItself(told: Told, invoice: ObjectRef): boolean {
  return tiedPayments(told, invoice).length === 0 || excess(told, invoice) > 0n
}

function excess(told: Told, invoice: ObjectRef): bigint {
  return groupReceived(told, invoice) - sum(tiedPayments(told, invoice).map((payment) => receivedOf(told, payment)))
}

/** The group received the most that the invoice or a checkout of it says. */
function groupReceived(told: Told, invoice: ObjectRef): bigint {
  return mostSaid(told, 'receivedMinor', invoice, ...checkoutsOf(told, invoice))
}

/** A state, and when that happened. */
export type Decided = { state: PaymentState; at: number }

export function stateOf(told: Told, payment: ObjectRef): Decided {
  if (payment.kind === 'invoice') return decided(stateFact(told, payment, ...checkoutsOf(told, payment)))
  const lender = lendingInvoice(told, payment)
  const lent = lender && stateFact(told, lender, ...checkoutsOf(told, lender))
  return lent ? decided(lent) : stateWithoutInvoice(told, payment)
}

/** Succeeded if anything of it succeeded. Else the payment's state unless that is `created`; else of its charges; else of its checkouts. */
function stateWithoutInvoice(told: Told, payment: ObjectRef): Decided {
  const charges = chargesOf(told, payment)
  const checkouts = checkoutsOf(told, payment)
  const own = stateFact(told, payment)
  const ownUnlessCreated = own?.state === 'created' ? undefined : own
  const success = successFact(told, payment, ...charges, ...checkouts)
  return decided(success ?? ownUnlessCreated ?? stateFact(told, ...charges) ?? stateFact(told, ...checkouts))
}

function decided(fact: ReturnType<typeof stateFact>): Decided {
  return { state: (fact?.state ?? 'created') as PaymentState, at: fact?.occurredAt.getTime() ?? Number.NEGATIVE_INFINITY }
}

export function receivedOf(told: Told, payment: ObjectRef): bigint {
  if (payment.kind === 'invoice') return tiedPayments(told, payment).length === 0 ? groupReceived(told, payment) : excess(told, payment)
  const lender = lendingInvoice(told, payment)
  return lender ? groupReceived(told, lender) : receivedWithoutInvoice(told, payment)
}

/**
 * What the payment received; else the sum over its charges; else what the invoice says it paid; else the most that a
 * checkout says. To have received nothing so far is no answer, so the next is asked.
 */
function receivedWithoutInvoice(told: Told, payment: ObjectRef): bigint {
  const answers = [
    mostSaid(told, 'receivedMinor', payment),
    sum(chargesOf(told, payment).map((charge) => mostSaid(told, 'receivedMinor', charge))),
    mostSaid(told, 'settledMinor', payment, ...chargesOf(told, payment)),
    mostSaid(told, 'receivedMinor', ...checkoutsOf(told, payment)),
  ]
  return answers.find((amount) => amount > 0n) ?? 0n
}

/** The invoice that lends its state and money to the one payment tied to it, of which nothing better is known. */
function lendingInvoice(told: Told, payment: ObjectRef): ObjectRef | undefined {
  const { state } = stateWithoutInvoice(told, payment)
  if (state === 'succeeded' || state === 'canceled' || receivedWithoutInvoice(told, payment) > 0n) return undefined
  const able = invoicesOf(told, payment).filter((invoice) => tiedPayments(told, invoice).length === 1 && !isMarkedOutOfBand(told, invoice))
  return able.find((invoice) => successFact(told, invoice, ...checkoutsOf(told, invoice))) ?? (state === 'created' ? able[0] : undefined)
}

function isMarkedOutOfBand(told: Told, invoice: ObjectRef): boolean {
  return factsOf(told, invoice).some(({ isOutOfBand }) => isOutOfBand)
}

/** An invoice that is a payment beside tied ones, or that was marked as paid out of band. */
export function isOutOfBand(told: Told, payment: ObjectRef): boolean {
  return payment.kind === 'invoice' && (tiedPayments(told, payment).length > 0 || isMarkedOutOfBand(told, payment))
}
