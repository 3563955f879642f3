import { isDeepStrictEqual } from 'node:util'
import type { Order, Payment } from './order.ts'

const PAYMENT_FIELDS = [
  'orderId',
  'rivalOrderIds',
  'status',
  'state',
  'stateAt',
  'succeededAt',
  'firstAt',
  'currency',
  'amountMinor',
  'receivedMinor',
  'refundedMinor',
  'disputedMinor',
  'chargedBackMinor',
  'flags',
  'account',
  'livemode',
] as const satisfies (keyof Payment)[]

const ORDER_FIELDS = [
  'status',
  'paidMinor',
  'refundedMinor',
  'disputedMinor',
  'chargedBackMinor',
  'flags',
] as const satisfies (keyof Order)[]

export function isSamePayment(left: Payment | undefined, right: Payment | undefined): boolean {
  if (!left || !right) return left === right
  return PAYMENT_FIELDS.every((field) => isDeepStrictEqual(left[field], right[field]))
}

/** What others are told of; the currency alone, as of a payment that was only begun, is no news. */
export function isSameToPeople(left: Order, right: Order): boolean {
  return ORDER_FIELDS.every((field) => isDeepStrictEqual(left[field], right[field]))
}

export function isSameOrder(left: Order, right: Order): boolean {
  return isSameToPeople(left, right) && left.currency === right.currency && left.sequence === right.sequence
}
