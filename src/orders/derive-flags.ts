import type { OrderFlag, Payment, Registration } from './order.ts'
import type { Mismatch } from './payments-that-count.ts'
import { backOf, type Totals } from './totals.ts'

export type FlagInput = {
  registration: Registration
  payments: Payment[]
  counting: Payment[]
  mismatches: Set<Mismatch>
  totals: Totals
}

export function deriveFlags({ registration, payments, counting, mismatches, totals }: FlagInput): OrderFlag[] {
  const { expectedMinor, currency: registered, orderId } = registration
  const own = payments.filter((payment) => payment.orderId === orderId)
  const flags: [OrderFlag, boolean][] = [
    ['amount_mismatch', expectedMinor !== null && own.some(isSucceeded) && isOff(expectedMinor, totals)],
    ['overpaid', expectedMinor === null ? counting.filter(hasMoneyLeft).length > 1 : totals.left > expectedMinor],
    ['unregistered', registered === null],
    ['claim_conflict', payments.some(({ rivalOrderIds }) => rivalOrderIds.length > 0)],
    ['account_mismatch', mismatches.has('account_mismatch')],
    ['mode_mismatch', mismatches.has('mode_mismatch')],
    ['currency_mismatch', mismatches.has('currency_mismatch')],
    ['out_of_band', own.some(({ flags: its }) => its.includes('out_of_band'))],
    ['inquiry', own.some(({ flags: its }) => its.includes('inquiry'))],
  ]
  return flags.filter(([, isRaised]) => isRaised).map(([flag]) => flag)
}

function isOff(expectedMinor: bigint, { received, left }: Totals): boolean {
  return received < expectedMinor || left > expectedMinor
}

function isSucceeded({ state }: Payment): boolean {
  return state === 'succeeded'
}

function hasMoneyLeft(payment: Payment): boolean {
  return payment.receivedMinor > backOf(payment)
}
