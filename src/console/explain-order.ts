import type { Order } from '../generated/prisma/client.ts'
import { formatMoney } from '../orders/format-money.ts'
import type { PaymentStory } from '../orders/order.ts'
import { texts } from './texts.ts'

/** One reason for the status of an order; `at` is when it happened. */
export type Because = { text: string; at?: Date }

/** Why an order has its status: what each payment that counts brought, and what speaks against it. */
export function explainOrder(order: Order, counting: PaymentStory[]): Because[] {
  const { because } = texts.order
  const reasons: Because[] = counting.map((payment) => {
    const { status, currency, receivedMinor, amountMinor, stateAt } = payment
    const money = formatMoney(receivedMinor > 0n ? receivedMinor : amountMinor, currency)
    return {
      text: because.counts(payment.paymentId, (texts.status[status] ?? status).toLowerCase(), money),
      at: payment.succeededAt ?? stateAt,
    }
  })
  if (reasons.length === 0) reasons.push({ text: because.nothing })
  if (order.expectedMinor !== null) reasons.push({ text: because.expected(formatMoney(order.expectedMinor, order.currency)) })
  return [...reasons, ...order.flags.map((flag) => ({ text: texts.flag[flag] ?? flag }))]
}
