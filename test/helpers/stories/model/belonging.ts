import type { ObjectRef } from '../../../../src/events/payment-fact.ts'
import { distinct, isSame, namedWith, objectsOf } from './search.ts'
import type { Told } from './world.ts'

/** A charge belongs to the payment named with it, else stands for itself as a payment. */
export function paymentOfCharge(told: Told, charge: ObjectRef): ObjectRef {
  return namedWith(told, charge, 'payment')[0] ?? charge
}

/** A checkout belongs to its payment; without one to its invoice; without either it stands for itself. */
export function ownerOfCheckout(told: Told, checkout: ObjectRef): ObjectRef {
  return namedWith(told, checkout, 'payment')[0] ?? namedWith(told, checkout, 'invoice')[0] ?? checkout
}

/** A refund or a dispute belongs to its charge and so to that charge's payment, else to the payment named. */
function paymentOfReversal(told: Told, reversal: ObjectRef): ObjectRef | undefined {
  const charge = namedWith(told, reversal, 'charge')[0]
  return charge ? paymentOfCharge(told, charge) : namedWith(told, reversal, 'payment')[0]
}

export function chargesOf(told: Told, payment: ObjectRef): ObjectRef[] {
  return objectsOf(told, 'charge').filter((charge) => isSame(paymentOfCharge(told, charge), payment))
}

/** Of a payment or of an invoice. */
export function checkoutsOf(told: Told, owner: ObjectRef): ObjectRef[] {
  return objectsOf(told, 'checkout').filter((checkout) => isSame(ownerOfCheckout(told, checkout), owner))
}

export function refundsOf(told: Told, payment: ObjectRef): ObjectRef[] {
  return objectsOf(told, 'refund').filter((refund) => belongsTo(told, refund, payment))
}

export function disputesOf(told: Told, payment: ObjectRef): ObjectRef[] {
  return objectsOf(told, 'dispute').filter((dispute) => belongsTo(told, dispute, payment))
}

function belongsTo(told: Told, reversal: ObjectRef, payment: ObjectRef): boolean {
  const owner = paymentOfReversal(told, reversal)
  return owner !== undefined && isSame(owner, payment)
}

/** A refund whose charge is not known counts with the smallest charge of its payment. */
export function chargeOfRefund(told: Told, refund: ObjectRef, payment: ObjectRef): ObjectRef | undefined {
  return namedWith(told, refund, 'charge')[0] ?? chargesOf(told, payment)[0]
}

/** An invoice groups the payments named with it, those of its charges and those of checkouts named with it. */
export function tiedPayments(told: Told, invoice: ObjectRef): ObjectRef[] {
  const ofCharges = namedWith(told, invoice, 'charge').map((charge) => paymentOfCharge(told, charge))
  const ofCheckouts = namedWith(told, invoice, 'checkout').map((checkout) => ownerOfCheckout(told, checkout))
  return distinct([...namedWith(told, invoice, 'payment'), ...ofCharges, ...ofCheckouts.filter(({ kind }) => kind === 'payment')])
}

export function invoicesOf(told: Told, payment: ObjectRef): ObjectRef[] {
  return objectsOf(told, 'invoice').filter((invoice) => tiedPayments(told, invoice).some((tied) => isSame(tied, payment)))
}
