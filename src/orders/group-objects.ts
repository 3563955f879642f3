import type { ObjectKind } from '../events/payment-fact.ts'
import type { LedgerObject } from './ledger.ts'
import { kindOf } from './object-key.ts'

/** A payment with all that is its own. One without an intent is a charge or a checkout that stands for itself. */
export type PaymentParts = {
  key: string
  intent: LedgerObject | undefined
  charges: LedgerObject[]
  checkouts: LedgerObject[]
  /** Those that tie it. */
  invoices: InvoiceParts[]
  /** By the key of their charge; '' where no charge is known. */
  refunds: Map<string, LedgerObject[]>
  disputes: LedgerObject[]
}

/** An invoice with its own checkouts, which have no payment, and the payments that it groups. */
export type InvoiceParts = { invoice: LedgerObject; checkouts: LedgerObject[]; tied: PaymentParts[] }

export type Groups = { payments: PaymentParts[]; invoices: InvoiceParts[] }

/** Sorts out what belongs to what in one cluster. Two objects are neighbours if either names the other. */
export function groupObjects(objects: LedgerObject[]): Groups {
  const cluster = [...objects].sort((left, right) => (left.key < right.key ? -1 : 1))
  const find = createFinder(cluster)
  const payments = new Map<string, PaymentParts>()
  const partsOf = (key: string) => payments.get(key) ?? addPayment(payments, key)

  const ofKind = (kind: ObjectKind) => cluster.filter(({ key }) => kindOf(key) === kind)
  const chargePayment = (charge: string) => find(charge, 'payment')[0] ?? charge
  for (const intent of ofKind('payment')) partsOf(intent.key).intent = intent
  for (const charge of ofKind('charge')) partsOf(chargePayment(charge.key)).charges.push(charge)
  const invoices = new Map<string, InvoiceParts>(ofKind('invoice').map((invoice) => [invoice.key, { invoice, checkouts: [], tied: [] }]))
  for (const checkout of ofKind('checkout')) {
    const payment = find(checkout.key, 'payment')[0]
    const invoice = invoices.get(find(checkout.key, 'invoice')[0] ?? '')
    if (payment !== undefined || !invoice) partsOf(payment ?? checkout.key).checkouts.push(checkout)
    else invoice.checkouts.push(checkout)
  }
  for (const parts of invoices.values()) tie(parts, { find, chargePayment, partsOf })
  for (const refund of ofKind('refund')) addRefund(refund, { find, chargePayment, partsOf })
  for (const dispute of ofKind('dispute')) {
    const charge = find(dispute.key, 'charge')[0]
    const payment = charge === undefined ? find(dispute.key, 'payment')[0] : chargePayment(charge)
    if (payment !== undefined) partsOf(payment).disputes.push(dispute)
  }
  return { payments: [...payments.values()], invoices: [...invoices.values()] }
}

type Finder = (key: string, kind: ObjectKind) => string[]
type Tools = { find: Finder; chargePayment(charge: string): string; partsOf(key: string): PaymentParts }

/** The neighbours of an object of one kind, the smallest key first. */
function createFinder(cluster: LedgerObject[]): Finder {
  const neighbours = new Map<string, Set<string>>(cluster.map(({ key }) => [key, new Set()]))
  for (const { key, heard } of cluster) {
    for (const other of heard.related ?? []) {
      neighbours.get(key)?.add(other)
      neighbours.get(other)?.add(key)
    }
  }
  return (key, kind) => [...(neighbours.get(key) ?? [])].filter((other) => kindOf(other) === kind).sort()
}

function addPayment(payments: Map<string, PaymentParts>, key: string): PaymentParts {
  const parts: PaymentParts = { key, intent: undefined, charges: [], checkouts: [], invoices: [], refunds: new Map(), disputes: [] }
  payments.set(key, parts)
  return parts
}

function tie(parts: InvoiceParts, { find, chargePayment, partsOf }: Tools): void {
  const { key } = parts.invoice
  const byCheckout = find(key, 'checkout').flatMap((checkout) => find(checkout, 'payment').slice(0, 1))
  const tied = new Set([...find(key, 'payment'), ...find(key, 'charge').map(chargePayment), ...byCheckout])
  parts.tied = [...tied].sort().map(partsOf)
  for (const payment of parts.tied) payment.invoices.push(parts)
}

function addRefund(refund: LedgerObject, { find, chargePayment, partsOf }: Tools): void {
  const charge = find(refund.key, 'charge')[0]
  const payment = charge === undefined ? find(refund.key, 'payment')[0] : chargePayment(charge)
  if (payment === undefined) return
  const parts = partsOf(payment)
  const bucket = charge ?? parts.charges[0]?.key ?? ''
  parts.refunds.set(bucket, [...(parts.refunds.get(bucket) ?? []), refund])
}
