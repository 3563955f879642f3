import { hasEmbeddedLists, isBasil, listOf, type Shape, type Tape } from './tape.ts'

export type Refund = { id: string; amount: number; status: string; created: number; isRelease: boolean }

/** Amounts as they are: what was never captured is released, and not refunded. */
export type Charge = {
  id: string
  intentId: string | null
  invoiceId: string | null
  amount: number
  captured: number
  refunded: number
  released: number
  status: 'pending' | 'succeeded' | 'failed'
  isDisputed: boolean
  created: number
  metadata: Record<string, string>
  refunds: Refund[]
}

type ChargeInput = Pick<Charge, 'amount' | 'status'> & Partial<Charge>

export function newCharge(tape: Tape, input: ChargeInput): Charge {
  const nothing = { captured: 0, refunded: 0, released: 0, isDisputed: false, metadata: {}, refunds: [] }
  return { id: tape.newId('ch'), intentId: null, invoiceId: null, created: tape.now(), ...nothing, ...input }
}

export function showCharge(tape: Tape, charge: Charge): Shape {
  return (version) => {
    const refunded = charge.refunded + (isBasil(version) ? 0 : charge.released)
    return {
      id: charge.id,
      object: 'charge',
      amount: charge.amount,
      amount_captured: charge.captured,
      amount_refunded: refunded,
      captured: charge.captured > 0,
      created: charge.created,
      currency: tape.plan.currency,
      disputed: charge.isDisputed,
      failure_code: charge.status === 'failed' ? 'card_declined' : null,
      ...(!isBasil(version) && { invoice: charge.invoiceId }),
      livemode: tape.plan.livemode,
      metadata: charge.metadata,
      paid: charge.status === 'succeeded',
      payment_intent: charge.intentId,
      refunded: refunded > 0 && refunded === charge.amount,
      ...(hasEmbeddedLists(version) && { refunds: listOf(charge.refunds.map((refund) => showRefund(tape, charge, refund)(version))) }),
      source_transfer: null,
      status: charge.status,
    }
  }
}

export function showRefund(tape: Tape, charge: Charge, refund: Refund): Shape {
  return () => ({
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    charge: charge.id,
    created: refund.created,
    currency: tape.plan.currency,
    metadata: {},
    payment_intent: charge.intentId,
    reason: null,
    status: refund.status,
  })
}

/** What was authorised and is not captured goes back to the customer; before basil that is a refund in all but name. */
export function releaseRest(tape: Tape, charge: Charge): void {
  const amount = charge.amount - charge.captured
  if (amount === 0) return
  charge.released = amount
  if (isBasil(tape.plan.apiVersion)) return
  charge.refunds.unshift({ id: tape.newId('re'), amount, status: 'succeeded', created: tape.now(), isRelease: true })
}

/** Tells of the release what an endpoint of the version hears of it. */
export function emitRelease(tape: Tape, charge: Charge): void {
  const release = charge.refunds.find(({ isRelease }) => isRelease)
  tape.emit(release ? 'charge.refunded' : 'charge.updated', showCharge(tape, charge))
  if (release && tape.plan.isVariant) tape.emit('refund.created', showRefund(tape, charge, release))
}
