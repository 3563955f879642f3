import type { Payment } from './order.ts'

/** By UTF-16 unit, which is the same on every machine. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** Payments of one moment: the smaller id, then the smaller name of the provider. */
export function comparePaymentIds(left: Payment, right: Payment): number {
  return compareText(left.paymentId, right.paymentId) || compareText(left.provider, right.provider)
}
