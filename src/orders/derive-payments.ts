import type { DisputeState } from '../events/payment-fact.ts'
import { claimOfInvoice, claimOfPayment } from './derive-claim.ts'
import { amountOf, deriveRefunded } from './derive-refunded.ts'
import { earliest, groupOutcome, lentOutcome, type Outcome, ownOutcome, stateOf, stateTime } from './derive-state.ts'
import { groupObjects, type InvoiceParts, type PaymentParts } from './group-objects.ts'
import type { Stamp } from './heard.ts'
import type { LedgerObject } from './ledger.ts'
import { compareStamps } from './merge-heard.ts'
import { refOf } from './object-key.ts'
import type { Payment, PaymentStatus, PaymentStory } from './order.ts'
import { tellParts } from './tell-parts.ts'

/** The payments of one cluster: a pure function of its objects. */
export function derivePayments(objects: LedgerObject[]): PaymentStory[] {
  const provider = objects[0]?.provider ?? ''
  const { payments, invoices } = groupObjects(objects)
  const outcomes = new Map(payments.map((parts) => [parts, lentOutcome(parts, ownOutcome(parts))]))
  return [
    ...payments.flatMap((parts) => paymentOf(provider, parts, outcomes.get(parts) as Outcome) ?? []),
    ...invoices.flatMap((parts) => invoiceAsPayment(provider, parts, outcomes) ?? []),
  ]
}

function paymentOf(provider: string, parts: PaymentParts, outcome: Outcome): PaymentStory | undefined {
  const { key, intent, charges, checkouts, invoices } = parts
  const levels = [intent ? [intent] : [], charges, checkouts, invoices.map(({ invoice }) => invoice)]
  return toPayment({
    provider,
    key,
    outcome,
    levels,
    claim: claimOfPayment(parts),
    refunded: deriveRefunded(parts),
    isOutOfBand: false,
    parts,
  })
}

/** An invoice is a payment where it groups none, and for what it received beyond those that it groups. */
function invoiceAsPayment(provider: string, parts: InvoiceParts, outcomes: Map<PaymentParts, Outcome>): PaymentStory | undefined {
  const group = groupOutcome(parts)
  const tied = parts.tied.reduce((sum, payment) => sum + (outcomes.get(payment) as Outcome).receivedMinor, 0n)
  const receivedMinor = group.receivedMinor - tied
  const isGroup = parts.tied.length > 0
  if (isGroup && receivedMinor <= 0n) return undefined
  const { invoice, checkouts } = parts
  return toPayment({
    provider,
    key: invoice.key,
    outcome: { ...group, receivedMinor },
    levels: [[invoice], checkouts],
    claim: claimOfInvoice(parts),
    refunded: 0n,
    isOutOfBand: isGroup || invoice.heard.isOutOfBand === true,
    parts: { key: invoice.key, intent: undefined, charges: [], checkouts, invoices: [], refunds: new Map(), disputes: [] },
  })
}

type Input = {
  provider: string
  key: string
  outcome: Outcome
  /** Who may speak of currency, amount and account, the most exact first. */
  levels: LedgerObject[][]
  claim: { orderId: string | null; rivalOrderIds: string[] }
  refunded: bigint
  isOutOfBand: boolean
  parts: PaymentParts
}

function toPayment({ provider, key, outcome, levels, claim, refunded, isOutOfBand, parts }: Input): PaymentStory | undefined {
  const money = mostExact(levels, 'money') ?? mostExact(levels, 'settlement')
  // Only named so far: nobody said what it is about.
  if (!money) return undefined
  const origin = mostExact(levels, 'origin')
  const { receivedMinor } = outcome
  const refundedMinor = min(refunded, receivedMinor)
  const state = stateOf(outcome)
  const amounts = {
    amountMinor: BigInt(money[3] as number),
    receivedMinor,
    refundedMinor,
    disputedMinor: sumDisputes(parts, 'open'),
    chargedBackMinor: min(sumDisputes(parts, 'lost'), receivedMinor - refundedMinor),
  }
  const firstAt = earliest(levels.slice(0, 3).flatMap(firstTimes)) ?? earliest(levels.flatMap(firstTimes)) ?? (money[0] as string)
  const disputeStates = new Set(parts.disputes.map(stateOfDispute))
  return {
    provider,
    paymentId: refOf(key).id,
    objectKey: key,
    ...claim,
    status: statusOf(state, amounts, disputeStates),
    state,
    stateAt: new Date(stateTime(outcome) ?? firstAt),
    succeededAt: outcome.succeededAt === undefined ? null : new Date(outcome.succeededAt),
    firstAt: new Date(firstAt),
    currency: money[2] as string,
    ...amounts,
    flags: [...(isOutOfBand ? (['out_of_band'] as const) : []), ...(disputeStates.has('inquiry') ? (['inquiry'] as const) : [])],
    account: (origin?.[2] as string | undefined) || null,
    livemode: origin?.[3] === undefined || origin[3] === -1 ? null : origin[3] === 1,
    ...tellParts(parts),
  }
}

type Amounts = Pick<Payment, 'receivedMinor' | 'refundedMinor' | 'chargedBackMinor'>

function statusOf(
  state: Payment['state'],
  { receivedMinor, refundedMinor, chargedBackMinor }: Amounts,
  disputeStates: Set<DisputeState | undefined>,
): PaymentStatus {
  if (disputeStates.has('open')) return 'disputed'
  const back = refundedMinor + chargedBackMinor
  if (state !== 'succeeded' || back === 0n) return state
  if (back < receivedMinor) return 'partially_refunded'
  return disputeStates.has('lost') ? 'charged_back' : 'refunded'
}

function mostExact(levels: LedgerObject[][], field: 'money' | 'settlement' | 'origin'): Stamp | undefined {
  for (const level of levels) {
    const stamps = level.flatMap(({ heard }) => (heard[field] ? [heard[field]] : []))
    if (stamps.length > 0) return stamps.sort(compareStamps).at(-1)
  }
  return undefined
}

function firstTimes(level: LedgerObject[]): (string | undefined)[] {
  return level.map(({ heard }) => heard.firstAt)
}

function sumDisputes({ disputes }: PaymentParts, state: DisputeState): bigint {
  return disputes.filter((dispute) => stateOfDispute(dispute) === state).reduce((sum, dispute) => sum + amountOf(dispute), 0n)
}

function stateOfDispute({ heard }: LedgerObject): DisputeState | undefined {
  return heard.state?.[4] as DisputeState | undefined
}

function min(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}
