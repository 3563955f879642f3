import { comparePaymentIds } from './compare.ts'
import type { OrderFlag, Payment, Registration } from './order.ts'

/** Why a payment does not count for its order; it is shown with the flag and waits for a person. */
export type Mismatch = Extract<OrderFlag, 'account_mismatch' | 'mode_mismatch' | 'currency_mismatch'>

export type Judged = { currency: string | null; counting: Payment[]; mismatches: Set<Mismatch> }

/** Which of the payments that name an order count for it, in which currency. Payments that only conflict are not its own. */
export function judgePayments(registration: Registration, payments: Payment[]): Judged {
  const own = payments.filter(({ orderId }) => orderId === registration.orderId)
  const isLive = own.some(({ livemode }) => livemode === true)
  const accepted = own.filter((payment) => findMismatches(payment, registration, isLive).length === 0)
  const currency = registration.currency ?? firstCurrency(accepted) ?? firstCurrency(own)
  const judged = own.map((payment): [Payment, Mismatch[]] => [
    payment,
    [...findMismatches(payment, registration, isLive), ...(payment.currency === currency ? [] : (['currency_mismatch'] as const))],
  ])
  return {
    currency,
    counting: judged.filter(([, mismatches]) => mismatches.length === 0).map(([payment]) => payment),
    mismatches: new Set(judged.flatMap(([, mismatches]) => mismatches)),
  }
}

function findMismatches({ account, livemode }: Payment, registration: Registration, isLive: boolean): Mismatch[] {
  const isForeign = registration.account !== null && account !== registration.account
  return [...(isForeign ? (['account_mismatch'] as const) : []), ...(isLive && livemode === false ? (['mode_mismatch'] as const) : [])]
}

/** The currency of the earliest success, else of the earliest payment; at one time that of the smaller payment id. */
function firstCurrency(payments: Payment[]): string | null {
  const succeeded = payments.filter(({ state }) => state === 'succeeded')
  return [...(succeeded.length > 0 ? succeeded : payments)].sort(byFirstWord)[0]?.currency ?? null
}

function byFirstWord(left: Payment, right: Payment): number {
  const time = ({ succeededAt, firstAt }: Payment) => (succeededAt ?? firstAt).getTime()
  return time(left) - time(right) || comparePaymentIds(left, right)
}
