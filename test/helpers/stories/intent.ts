import { type Charge, newCharge, showCharge } from './charge.ts'
import { hasEmbeddedLists, isBasil, listOf, type Shape, type Tape } from './tape.ts'

export type Intent = {
  id: string
  amount: number
  received: number
  capturable: number
  status: string
  created: number
  invoiceId: string | null
  metadata: Record<string, string>
  charges: Charge[]
}

export function newIntent(tape: Tape, input: Partial<Intent> = {}): Intent {
  const amount = input.amount ?? tape.plan.amount
  const nothing = { received: 0, capturable: 0, status: 'requires_payment_method', invoiceId: null, charges: [] }
  return { id: tape.newId('pi'), amount, created: tape.now(), metadata: ownMetadata(tape), ...nothing, ...input }
}

/** What the intent, or a charge without one, names. */
export function ownMetadata({ plan, orderId }: Tape): Record<string, string> {
  return ['own', 'both', 'conflicting'].includes(plan.naming) ? { order_id: orderId } : {}
}

/** The order that a session or an invoice names. */
export function wrapperOrder({ plan, orderId, otherOrderId }: Tape): string | undefined {
  if (plan.naming === 'conflicting') return otherOrderId
  return ['wrapper', 'both'].includes(plan.naming) ? orderId : undefined
}

export function showIntent(tape: Tape, intent: Intent): Shape {
  return (version) => ({
    id: intent.id,
    object: 'payment_intent',
    amount: intent.amount,
    amount_capturable: intent.capturable,
    amount_received: intent.received,
    ...(hasEmbeddedLists(version)
      ? { charges: listOf(intent.charges.map((charge) => showCharge(tape, charge)(version))) }
      : { latest_charge: intent.charges[0]?.id ?? null }),
    created: intent.created,
    currency: tape.plan.currency,
    ...(!isBasil(version) && { invoice: intent.invoiceId }),
    livemode: tape.plan.livemode,
    metadata: intent.metadata,
    status: intent.status,
  })
}

/** Each attempt is a new charge. */
export function attempt(tape: Tape, intent: Intent, charge: Pick<Charge, 'status'> & Partial<Charge>): Charge {
  const { id: intentId, amount, invoiceId, metadata } = intent
  const made = newCharge(tape, { intentId, amount, invoiceId, metadata, ...charge })
  intent.charges.unshift(made)
  return made
}

export function create(tape: Tape, input: Partial<Intent> = {}): Intent {
  const intent = newIntent(tape, input)
  tape.emit('payment_intent.created', showIntent(tape, intent))
  return intent
}

export function failAttempts(tape: Tape, intent: Intent, times = tape.plan.failedAttempts): void {
  for (let time = 0; time < times; time += 1) {
    const charge = attempt(tape, intent, { status: 'failed' })
    intent.status = 'requires_payment_method'
    tape.emit('charge.failed', showCharge(tape, charge))
    tape.emit('payment_intent.payment_failed', showIntent(tape, intent))
  }
}

export function requireAction(tape: Tape, intent: Intent): void {
  intent.status = 'requires_action'
  tape.emit('payment_intent.requires_action', showIntent(tape, intent))
}

/** The money arrives, on a new charge or on one that was pending. */
export function succeed(tape: Tape, intent: Intent, pending?: Charge): Charge {
  const charge = pending ?? attempt(tape, intent, { status: 'succeeded' })
  charge.status = 'succeeded'
  charge.captured = charge.amount
  intent.status = 'succeeded'
  intent.received = intent.amount
  tape.emit('charge.succeeded', showCharge(tape, charge))
  tape.emit('payment_intent.succeeded', showIntent(tape, intent))
  return charge
}

export function cancel(tape: Tape, intent: Intent): void {
  intent.status = 'canceled'
  intent.capturable = 0
  tape.emit('payment_intent.canceled', showIntent(tape, intent))
}
