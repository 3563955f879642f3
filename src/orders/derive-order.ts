import { comparePaymentIds } from './compare.ts'
import { deriveFlags } from './derive-flags.ts'
import type { DerivedOrder, OrderStatus, Payment, Registration } from './order.ts'
import { judgePayments } from './payments-that-count.ts'
import { backOf, sumUp, type Totals } from './totals.ts'

/** The status, the amounts and the flags of an order: a pure function of its registration and the payments that name it. */
export function deriveOrder(registration: Registration, payments: Payment[]): DerivedOrder {
  const { currency, counting, mismatches } = judgePayments(registration, payments)
  const totals = sumUp(counting)
  return {
    status: deriveStatus(registration, counting, totals),
    currency,
    paidMinor: totals.received,
    refundedMinor: totals.refunded,
    disputedMinor: totals.disputed,
    chargedBackMinor: totals.chargedBack,
    flags: deriveFlags({ registration, payments, counting, mismatches, totals }),
  }
}

function deriveStatus({ expectedMinor }: Registration, payments: Payment[], totals: Totals): OrderStatus {
  const { received, back, left } = totals
  if (payments.some(({ status }) => status === 'disputed')) return 'disputed'
  const succeeded = payments.filter(({ state }) => state === 'succeeded')
  const isCovered = expectedMinor === null ? succeeded.some((payment) => backOf(payment) === 0n) : left >= expectedMinor
  if (succeeded.length > 0 && isCovered) return 'paid'
  if (back > 0n && left > 0n) return 'partially_refunded'
  if (left > 0n) return 'partially_paid'
  if (received > 0n) return payments.some(hasLost) ? 'charged_back' : 'refunded'
  return statusWithoutMoney(payments)
}

/** Where refunds had left nothing to take, only the status tells. */
function hasLost({ status, chargedBackMinor }: Payment): boolean {
  return status === 'charged_back' || chargedBackMinor > 0n
}

function statusWithoutMoney(payments: Payment[]): OrderStatus {
  const has = (...states: Payment['state'][]) => payments.some(({ state }) => states.includes(state))
  if (has('authorized')) return 'authorized'
  if (has('processing', 'requires_action')) return 'processing'
  const ended = payments.filter(({ state }) => state === 'failed' || state === 'canceled')
  if (ended.length === 0 || ended.length < payments.length) return 'pending'
  return [...ended].sort(byTime).at(-1)?.state === 'canceled' ? 'canceled' : 'failed'
}

function byTime(left: Payment, right: Payment): number {
  return left.stateAt.getTime() - right.stateAt.getTime() || comparePaymentIds(left, right)
}
