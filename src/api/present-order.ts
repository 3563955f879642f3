import { paymentStatus } from '../orders/derive-order.ts'
import type { OrderStory } from '../orders/find-order.ts'
import type { Payment } from '../orders/order.ts'

export function presentOrder({ order, payments, history }: OrderStory) {
  return {
    order_id: order.orderId,
    status: order.status,
    currency: order.currency,
    expected_minor: toNumber(order.expectedMinor),
    paid_minor: Number(order.paidMinor),
    refunded_minor: Number(order.refundedMinor),
    disputed_minor: Number(order.disputedMinor),
    charged_back_minor: Number(order.chargedBackMinor),
    flags: order.flags,
    account: order.account,
    metadata: order.metadata,
    payments: payments.map((payment) => presentPayment(payment as Payment, order.currency)),
    history: history.map(({ at, from, to, messageId, eventId, fact, note }) => ({
      at,
      from,
      to,
      message_id: messageId,
      event_id: eventId,
      fact,
      note,
    })),
    created_at: order.createdAt,
    updated_at: order.updatedAt,
  }
}

function presentPayment(payment: Payment, orderCurrency: string | null) {
  return {
    provider: payment.provider,
    payment_id: payment.paymentId,
    status: paymentStatus(payment),
    counts: payment.currency === orderCurrency,
    currency: payment.currency,
    amount_minor: Number(payment.amountMinor),
    received_minor: Number(payment.receivedMinor),
    refunded_minor: Number(payment.refundedMinor),
    account: payment.account,
    livemode: payment.livemode,
    refunds: [],
    disputes: [],
    references: [],
  }
}

/** Every amount was read as a safe integer; sums of an order stay within them for any real order. */
function toNumber(amount: bigint | null): number | null {
  return amount === null ? null : Number(amount)
}

export type OrderAnswer = ReturnType<typeof presentOrder>
