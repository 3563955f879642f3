import { type Charge, type Refund, showCharge, showRefund } from './charge.ts'
import type { Aftermath, DisputeCourse } from './plan.ts'
import type { EventType } from './story.ts'
import type { Shape, Tape } from './tape.ts'

/** What happens to money that arrived. */
export function tellAftermath(tape: Tape, charge: Charge): void {
  for (const part of tape.plan.aftermath) {
    if (part.kind === 'refund') tellRefund(tape, charge, part)
    else tellDispute(tape, charge, part)
  }
}

function tellRefund(tape: Tape, charge: Charge, { course, share, isFewEvents }: Extract<Aftermath, { kind: 'refund' }>): void {
  const amount = Math.floor((charge.captured - charge.refunded) * share)
  if (amount === 0) return
  const startsPending = course === 'pending' || course === 'fails' || course === 'canceled'
  const status = startsPending ? 'pending' : 'succeeded'
  const refund: Refund = { id: tape.newId('re'), amount, status, created: tape.now(), isRelease: false }
  charge.refunds.unshift(refund)
  charge.refunded += amount
  if (!isFewEvents) tape.emit('refund.created', showRefund(tape, charge, refund))
  tape.emit('charge.refunded', showCharge(tape, charge))
  if (course === 'pending') emitUpdates(tape, charge, refund, 'succeeded')
  if (course === 'canceled') takeBack(tape, charge, refund, 'canceled')
  if (course === 'fails' || course === 'fails_after_success') takeBack(tape, charge, refund, 'failed')
}

function emitUpdates(tape: Tape, charge: Charge, refund: Refund, status: string): void {
  refund.status = status
  tape.emit('refund.updated', showRefund(tape, charge, refund))
  tape.emit('charge.refund.updated', showRefund(tape, charge, refund))
}

/** The money stays after all, and the charge's sum goes down. */
function takeBack(tape: Tape, charge: Charge, refund: Refund, status: 'failed' | 'canceled'): void {
  charge.refunded -= refund.amount
  refund.status = status
  if (status === 'failed') tape.emit('refund.failed', showRefund(tape, charge, refund))
  emitUpdates(tape, charge, refund, status)
  if (tape.plan.isVariant) tape.emit('charge.updated', showCharge(tape, charge))
}

type Step = [EventType, string]

const CREATED = 'charge.dispute.created'
const UPDATED = 'charge.dispute.updated'
const CLOSED = 'charge.dispute.closed'
const WITHDRAWN = 'charge.dispute.funds_withdrawn'
const REINSTATED = 'charge.dispute.funds_reinstated'

const OPENED: Step[] = [
  [CREATED, 'needs_response'],
  [WITHDRAWN, 'needs_response'],
]
const CONTESTED: Step[] = [...OPENED, [UPDATED, 'under_review']]
const INQUIRED: Step[] = [
  [CREATED, 'warning_needs_response'],
  [UPDATED, 'warning_under_review'],
]
const ESCALATED: Step[] = [...INQUIRED, [UPDATED, 'needs_response'], [WITHDRAWN, 'needs_response']]
const WON: Step[] = [
  [CLOSED, 'won'],
  [REINSTATED, 'won'],
]

const DISPUTE_STEPS: Record<DisputeCourse, Step[]> = {
  open: CONTESTED,
  won: [...CONTESTED, ...WON],
  lost: [...CONTESTED, [CLOSED, 'lost']],
  inquiry: INQUIRED,
  closed_inquiry: [...INQUIRED, [CLOSED, 'warning_closed']],
  inquiry_then_lost: [...ESCALATED, [CLOSED, 'lost']],
  inquiry_then_won: [...ESCALATED, ...WON],
  charge_refunded: [...OPENED, [CLOSED, 'charge_refunded']],
  prevented: [
    [CREATED, 'needs_response'],
    [CLOSED, 'prevented'],
  ],
}

function tellDispute(tape: Tape, charge: Charge, { course, share }: Extract<Aftermath, { kind: 'dispute' }>): void {
  const dispute = { id: tape.newId('dp'), amount: Math.floor(charge.captured * share), created: tape.now() }
  if (dispute.amount === 0) return
  charge.isDisputed = true
  for (const [type, status] of DISPUTE_STEPS[course]) tape.emit(type, showDispute(tape, charge, { ...dispute, status }))
  if (tape.plan.isVariant) tape.emit('charge.updated', showCharge(tape, charge))
}

type Dispute = { id: string; amount: number; created: number; status: string }

function showDispute(tape: Tape, charge: Charge, { id, amount, created, status }: Dispute): Shape {
  return () => ({
    id,
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: charge.id,
    created,
    currency: tape.plan.currency,
    is_charge_refundable: status.startsWith('warning'),
    livemode: tape.plan.livemode,
    metadata: {},
    payment_intent: charge.intentId,
    reason: 'general',
    status,
  })
}
