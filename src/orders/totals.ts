import type { Payment } from './order.ts'

/** Sums over the payments that count for an order, in minor units. */
export type Totals = { received: bigint; refunded: bigint; disputed: bigint; chargedBack: bigint; back: bigint; left: bigint }

export function sumUp(payments: Payment[]): Totals {
  const sum = (field: 'receivedMinor' | 'refundedMinor' | 'disputedMinor' | 'chargedBackMinor') =>
    payments.reduce((total, payment) => total + payment[field], 0n)
  const [received, refunded, chargedBack] = [sum('receivedMinor'), sum('refundedMinor'), sum('chargedBackMinor')]
  const back = refunded + chargedBack
  return { received, refunded, disputed: sum('disputedMinor'), chargedBack, back, left: received - back }
}

export function backOf({ refundedMinor, chargedBackMinor }: Payment): bigint {
  return refundedMinor + chargedBackMinor
}
