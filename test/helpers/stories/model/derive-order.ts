import type { DerivedPayment } from './derive-payment.ts'
import { compareKeys, greatest, smallest, sum } from './search.ts'
import type { ExpectedOrder, ExpectedPayment, Registration } from './world.ts'

type Mismatch = 'account_mismatch' | 'mode_mismatch' | 'currency_mismatch'
type Judged = DerivedPayment & { mismatches: Mismatch[] }
export type OrderInput = { orderId: string; registration: Registration | undefined; payments: DerivedPayment[]; isConflicting: boolean }
type Money = { expected: bigint | undefined; received: bigint; back: bigint; left: bigint }

const backOf = ({ refunded, chargedBack }: DerivedPayment) => refunded + chargedBack
const leftOf = (payment: DerivedPayment) => payment.received - backOf(payment)
const hasSucceeded = ({ state }: DerivedPayment) => state === 'succeeded'
const counts = ({ mismatches }: Judged) => mismatches.length === 0

export function deriveOrder({ orderId, registration, payments, isConflicting }: OrderInput): ExpectedOrder {
  const accepted = payments.filter((payment) => !isRuledOut(payment, payments, registration))
  const currency = registration?.currency ?? currencyOf(accepted) ?? currencyOf(payments)
  const judged = payments.map((payment) => ({ ...payment, mismatches: mismatchesOf(payment, payments, registration, currency) }))
  const counting = judged.filter(counts)
  const received = sum(counting.map((payment) => payment.received))
  const back = sum(counting.map(backOf))
  const money = { expected: registration?.expectedMinor, received, back, left: received - back }
  return {
    order_id: orderId,
    status: orderStatus(counting, money),
    currency,
    expected_minor: registration ? Number(registration.expectedMinor) : null,
    paid_minor: Number(received),
    refunded_minor: Number(sum(counting.map(({ refunded }) => refunded))),
    disputed_minor: Number(sum(counting.map(({ disputed }) => disputed))),
    charged_back_minor: Number(sum(counting.map(({ chargedBack }) => chargedBack))),
    flags: flagsOf(judged, money, isConflicting),
    payments: judged.sort((left, right) => compareKeys(idKey(left), idKey(right))).map(showPayment),
  }
}

const idKey = ({ paymentId, provider }: DerivedPayment) => [paymentId, provider]

/** That of the earliest success, else of the earliest payment; then the smaller payment id. */
function currencyOf(payments: DerivedPayment[]): string | null {
  const firstSuccess = smallest(payments.filter(hasSucceeded), (payment) => [payment.at, ...idKey(payment)])
  const first = firstSuccess ?? smallest(payments, (payment) => [payment.firstHeardAt, ...idKey(payment)])
  return first?.currency ?? null
}

/** By its account or its mode, whatever its currency. */
function isRuledOut(payment: DerivedPayment, ofOrder: DerivedPayment[], registration: Registration | undefined): boolean {
  return mismatchesOf(payment, ofOrder, registration, payment.currency).length > 0
}

function mismatchesOf(
  payment: DerivedPayment,
  ofOrder: DerivedPayment[],
  registration: Registration | undefined,
  currency: string | null,
): Mismatch[] {
  const account = registration?.account ?? null
  const mismatches: [Mismatch, boolean][] = [
    ['account_mismatch', account !== null && payment.account !== account],
    ['mode_mismatch', payment.livemode === false && ofOrder.some(({ livemode }) => livemode === true)],
    ['currency_mismatch', payment.currency !== currency],
  ]
  return mismatches.filter(([, holds]) => holds).map(([mismatch]) => mismatch)
}

/** The first line that holds. */
function orderStatus(counting: DerivedPayment[], { expected, received, back, left }: Money): string {
  const isAny = (...states: string[]) => counting.some(({ state }) => states.includes(state))
  const isCovered = expected === undefined ? counting.some((one) => hasSucceeded(one) && backOf(one) === 0n) : left >= expected
  const hasEnded = counting.length > 0 && counting.every(({ state }) => state === 'failed' || state === 'canceled')
  if (counting.some(({ hasOpenDispute }) => hasOpenDispute)) return 'disputed'
  if (counting.some(hasSucceeded) && isCovered) return 'paid'
  if (back > 0n && left > 0n) return 'partially_refunded'
  if (left > 0n) return 'partially_paid'
  if (received > 0n && counting.some(({ hasLostDispute }) => hasLostDispute)) return 'charged_back'
  if (received > 0n) return 'refunded'
  if (isAny('authorized')) return 'authorized'
  if (isAny('processing', 'requires_action')) return 'processing'
  if (hasEnded) return greatest(counting, (payment) => [payment.at, ...idKey(payment)])?.state ?? ''
  return 'pending'
}

function flagsOf(payments: Judged[], { expected, received, left }: Money, isConflicting: boolean): string[] {
  const withMoneyLeft = payments.filter((payment) => counts(payment) && leftOf(payment) > 0n)
  const isOver = expected === undefined ? withMoneyLeft.length > 1 : left > expected
  const isUnder = expected !== undefined && received < expected
  const flags: [string, boolean][] = [
    ['amount_mismatch', expected !== undefined && payments.some(hasSucceeded) && (isUnder || isOver)],
    ['overpaid', isOver],
    ['unregistered', expected === undefined],
    ['claim_conflict', isConflicting],
    ['out_of_band', payments.some(({ isOutOfBand }) => isOutOfBand)],
    ['inquiry', payments.some(({ hasInquiry }) => hasInquiry)],
  ]
  const raised = flags.filter(([, holds]) => holds).map(([flag]) => flag)
  return [...new Set([...raised, ...payments.flatMap(({ mismatches }) => mismatches)])].sort()
}

function showPayment(payment: Judged): ExpectedPayment {
  return {
    provider: payment.provider,
    payment_id: payment.paymentId,
    status: paymentStatus(payment),
    counts: counts(payment),
    currency: payment.currency,
    amount_minor: Number(payment.amountMinor),
    received_minor: Number(payment.received),
    refunded_minor: Number(payment.refunded),
    account: payment.account,
    livemode: payment.livemode,
    refunds: payment.refunds,
    disputes: payment.disputes,
  }
}

function paymentStatus(payment: DerivedPayment): string {
  if (payment.hasOpenDispute) return 'disputed'
  if (!hasSucceeded(payment)) return payment.state
  if (backOf(payment) === 0n) return 'succeeded'
  if (leftOf(payment) > 0n) return 'partially_refunded'
  return payment.hasLostDispute ? 'charged_back' : 'refunded'
}
