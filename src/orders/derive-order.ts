import type { DerivedOrder, OrderFlag, OrderStatus, Payment, PaymentStatus, Registration } from './order.ts'

/** The status, the amounts and the flags of an order: a pure function of its registration and its payments. */
export function deriveOrder(registration: Registration, payments: Payment[]): DerivedOrder {
  const currency = registration.currency ?? firstCurrency(payments)
  const counting = payments.filter((payment) => payment.currency === currency)
  const totals = sumUp(counting)
  return {
    status: deriveStatus(registration, counting, totals),
    currency,
    paidMinor: totals.received,
    refundedMinor: totals.back,
    flags: deriveFlags({ registration, payments, counting, totals }),
  }
}

export function paymentStatus({ state, receivedMinor, refundedMinor }: Payment): PaymentStatus {
  if (state !== 'succeeded' || refundedMinor === 0n) return state
  return refundedMinor >= receivedMinor ? 'refunded' : 'partially_refunded'
}

type Totals = { received: bigint; back: bigint; left: bigint }

function sumUp(payments: Payment[]): Totals {
  let received = 0n
  let back = 0n
  for (const payment of payments) {
    received += payment.receivedMinor
    back += backOf(payment)
  }
  return { received, back, left: received - back }
}

/** What went back is never more than what that payment received. */
function backOf({ receivedMinor, refundedMinor }: Payment): bigint {
  return refundedMinor < receivedMinor ? refundedMinor : receivedMinor
}

function deriveStatus({ expectedMinor }: Registration, payments: Payment[], { received, back, left }: Totals): OrderStatus {
  const succeeded = payments.filter(({ state }) => state === 'succeeded')
  const isCovered = expectedMinor === null ? succeeded.some((payment) => backOf(payment) === 0n) : left >= expectedMinor
  if (succeeded.length > 0 && isCovered) return 'paid'
  if (back > 0n && left > 0n) return 'partially_refunded'
  if (left > 0n) return 'partially_paid'
  if (received > 0n) return 'refunded'
  return statusWithoutMoney(payments)
}

function statusWithoutMoney(payments: Payment[]): OrderStatus {
  const has = (...states: Payment['state'][]) => payments.some(({ state }) => states.includes(state))
  if (has('authorized')) return 'authorized'
  if (has('processing', 'requires_action')) return 'processing'
  const ended = payments.filter(({ state }) => state === 'failed' || state === 'canceled')
  if (ended.length === 0 || ended.length < payments.length) return 'pending'
  return [...ended].sort(byTime).at(-1)?.state === 'canceled' ? 'canceled' : 'failed'
}

/** The currency of the earliest success, else of the earliest payment; at one time that of the smaller payment id. */
function firstCurrency(payments: Payment[]): string | null {
  const succeeded = payments.filter(({ state }) => state === 'succeeded')
  return [...(succeeded.length > 0 ? succeeded : payments)].sort(byFirstWord)[0]?.currency ?? null
}

type FlagInput = { registration: Registration; payments: Payment[]; counting: Payment[]; totals: Totals }

function deriveFlags({ registration: { expectedMinor }, payments, counting, totals: { received, left } }: FlagInput): OrderFlag[] {
  const hasSuccess = payments.some(({ state }) => state === 'succeeded')
  const withMoneyLeft = counting.filter((payment) => payment.receivedMinor > backOf(payment))
  const isOver = expectedMinor === null ? withMoneyLeft.length > 1 : left > expectedMinor
  const isUnder = expectedMinor !== null && received < expectedMinor
  const flags: [OrderFlag, boolean][] = [
    ['amount_mismatch', hasSuccess && expectedMinor !== null && (isUnder || isOver)],
    ['currency_mismatch', counting.length < payments.length],
    ['overpaid', isOver],
    ['unregistered', expectedMinor === null],
  ]
  return flags.filter(([, holds]) => holds).map(([flag]) => flag)
}

function byTime(left: Payment, right: Payment): number {
  return left.stateAt.getTime() - right.stateAt.getTime() || byId(left, right)
}

function byFirstWord(left: Payment, right: Payment): number {
  return (left.succeededAt ?? left.stateAt).getTime() - (right.succeededAt ?? right.stateAt).getTime() || byId(left, right)
}

function byId(left: Payment, right: Payment): number {
  const [leftId, rightId] = [left, right].map(({ paymentId, provider }) => `${paymentId} ${provider}`) as [string, string]
  if (leftId === rightId) return 0
  return leftId < rightId ? -1 : 1
}
