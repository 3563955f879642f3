import { tellAftermath } from '../aftermath.ts'
import { create, failAttempts, type Intent, succeed, wrapperOrder } from '../intent.ts'
import type { Shape, Tape } from '../tape.ts'
import { failProcessing, startProcessing } from './plain-payments.ts'

export type Session = {
  id: string
  amount: number
  mode: 'payment' | 'subscription'
  intentId: string | null
  invoiceId: string | null
  paymentStatus: 'paid' | 'unpaid' | 'no_payment_required'
  status: 'complete' | 'expired'
  created: number
}

export function newSession(tape: Tape, input: Partial<Session> = {}): Session {
  const { amount } = tape.plan
  const usual = { mode: 'payment', intentId: null, invoiceId: null, paymentStatus: 'paid', status: 'complete' } as const
  return { id: tape.newId('cs'), amount, created: tape.now(), ...usual, ...input }
}

export function showSession(tape: Tape, session: Session): Shape {
  const orderId = wrapperOrder(tape) ?? null
  const isReference = tape.plan.isVariant
  return () => ({
    id: session.id,
    object: 'checkout.session',
    amount_subtotal: session.amount,
    amount_total: session.amount,
    client_reference_id: isReference ? orderId : null,
    created: session.created,
    currency: tape.plan.currency,
    invoice: session.invoiceId,
    livemode: tape.plan.livemode,
    metadata: isReference || orderId === null ? {} : { order_id: orderId },
    mode: session.mode,
    payment_intent: session.intentId,
    payment_link: null,
    payment_status: session.paymentStatus,
    status: session.status,
    subscription: session.mode === 'subscription' ? `sub_of_${session.id}` : null,
  })
}

export function tellPaidSession(tape: Tape): void {
  const { intent, session } = openSession(tape)
  failAttempts(tape, intent)
  const charge = succeed(tape, intent)
  tape.emit('checkout.session.completed', showSession(tape, session))
  tellAftermath(tape, charge)
}

export function tellAsyncSession(tape: Tape): void {
  const { intent, session } = openSession(tape)
  const pending = startProcessing(tape, intent)
  tape.emit('checkout.session.completed', showSession(tape, { ...session, paymentStatus: 'unpaid' }))
  const charge = succeed(tape, intent, pending)
  tape.emit('checkout.session.async_payment_succeeded', showSession(tape, session))
  tellAftermath(tape, charge)
}

export function tellFailedAsyncSession(tape: Tape): void {
  const { intent, session } = openSession(tape)
  const unpaid = { ...session, paymentStatus: 'unpaid' } as const
  tape.emit('checkout.session.completed', showSession(tape, unpaid))
  failProcessing(tape, intent)
  tape.emit('checkout.session.async_payment_failed', showSession(tape, unpaid))
}

function openSession(tape: Tape): { intent: Intent; session: Session } {
  const session = newSession(tape)
  const intent = create(tape)
  session.intentId = intent.id
  return { intent, session }
}

/** Nobody came, so no intent was made. */
export function tellExpiredSession(tape: Tape): void {
  tape.emit('checkout.session.expired', showSession(tape, newSession(tape, { paymentStatus: 'unpaid', status: 'expired' })))
}

export function tellFreeSession(tape: Tape): void {
  tape.emit('checkout.session.completed', showSession(tape, newSession(tape, { amount: 0, paymentStatus: 'no_payment_required' })))
}
