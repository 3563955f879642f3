import { tellAftermath } from '../aftermath.ts'
import { emitRelease, newCharge, releaseRest, showCharge } from '../charge.ts'
import {
  attempt,
  cancel,
  create,
  failAttempts,
  type Intent,
  newIntent,
  ownMetadata,
  requireAction,
  showIntent,
  succeed,
} from '../intent.ts'
import type { Tape } from '../tape.ts'

export function tellCard(tape: Tape): void {
  const intent = create(tape)
  failAttempts(tape, intent)
  if (tape.plan.isVariant) requireAction(tape, intent)
  tellAftermath(tape, succeed(tape, intent))
}

export function tellFailedCard(tape: Tape): void {
  const intent = create(tape)
  failAttempts(tape, intent, tape.plan.failedAttempts + 1)
  if (tape.plan.isVariant) cancel(tape, intent)
}

export function tellSlowSuccess(tape: Tape): void {
  const intent = create(tape)
  failAttempts(tape, intent)
  tellAftermath(tape, succeed(tape, intent, startProcessing(tape, intent)))
}

export function tellSlowFailure(tape: Tape): void {
  const intent = create(tape)
  failProcessing(tape, intent)
}

export function startProcessing(tape: Tape, intent: Intent) {
  const charge = attempt(tape, intent, { status: 'pending' })
  intent.status = 'processing'
  tape.emit('payment_intent.processing', showIntent(tape, intent))
  tape.emit('charge.pending', showCharge(tape, charge))
  return charge
}

export function failProcessing(tape: Tape, intent: Intent): void {
  const charge = startProcessing(tape, intent)
  charge.status = 'failed'
  intent.status = 'requires_payment_method'
  tape.emit('charge.failed', showCharge(tape, charge))
  tape.emit('payment_intent.payment_failed', showIntent(tape, intent))
}

function authorize(tape: Tape) {
  const intent = create(tape)
  failAttempts(tape, intent)
  const charge = attempt(tape, intent, { status: 'succeeded' })
  intent.status = 'requires_capture'
  intent.capturable = intent.amount
  tape.emit('charge.succeeded', showCharge(tape, charge))
  tape.emit('payment_intent.amount_capturable_updated', showIntent(tape, intent))
  return { intent, charge }
}

function capture(tape: Tape, amount: number): void {
  const { intent, charge } = authorize(tape)
  charge.captured = amount
  Object.assign(intent, { capturable: 0, received: amount, status: 'succeeded' })
  releaseRest(tape, charge)
  tape.emit('charge.captured', showCharge(tape, charge))
  if (charge.released > 0) emitRelease(tape, charge)
  tape.emit('payment_intent.succeeded', showIntent(tape, intent))
  tellAftermath(tape, charge)
}

export function tellFullCapture(tape: Tape): void {
  capture(tape, tape.plan.amount)
}

export function tellPartialCapture(tape: Tape): void {
  capture(tape, Math.floor(tape.plan.amount * (tape.plan.isVariant ? 0.5 : 0.7)))
}

export function tellExpiredAuthorization(tape: Tape): void {
  const { intent, charge } = authorize(tape)
  releaseRest(tape, charge)
  tape.emit('charge.expired', showCharge(tape, charge))
  cancel(tape, intent)
}

export function tellCanceledAuthorization(tape: Tape): void {
  const { intent, charge } = authorize(tape)
  releaseRest(tape, charge)
  emitRelease(tape, charge)
  cancel(tape, intent)
}

/** A bank transfer of less than was asked for; the rest may follow. */
export function tellPartialFunding(tape: Tape): void {
  const intent = newIntent(tape, { status: 'requires_action' })
  tape.emit('payment_intent.created', showIntent(tape, intent))
  requireAction(tape, intent)
  if (tape.plan.failedAttempts > 0) intent.received = Math.floor(intent.amount / 4)
  tape.emit('payment_intent.partially_funded', showIntent(tape, intent))
  if (tape.plan.isVariant) tellAftermath(tape, succeed(tape, intent))
}

/** As of before 2018, and of methods that have no intent. */
export function tellChargeWithoutIntent(tape: Tape): void {
  const { amount, failedAttempts, isVariant } = tape.plan
  const metadata = ownMetadata(tape)
  const hasFailed = failedAttempts === 2
  const charge = newCharge(tape, { amount, status: isVariant ? 'pending' : 'succeeded', metadata })
  if (isVariant) tape.emit('charge.pending', showCharge(tape, charge))
  charge.status = hasFailed ? 'failed' : 'succeeded'
  charge.captured = hasFailed ? 0 : amount
  tape.emit(hasFailed ? 'charge.failed' : 'charge.succeeded', showCharge(tape, charge))
  tellAftermath(tape, charge)
}
