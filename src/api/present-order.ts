import type { Order } from '../generated/prisma/client.ts'
import { paymentStatus } from '../orders/derive-order.ts'
import type { OrderStory } from '../orders/find-order.ts'
import type { Payment } from '../orders/order.ts'
import type { OrderAnswer, OrderSummary, PaymentAnswer } from './order-schema.ts'

// Every amount was read as a safe integer, and sums of an order stay within them for any real order.
export function presentOrderSummary(order: Order): OrderSummary {
  return {
    order_id: order.orderId,
    status: order.status as OrderSummary['status'],
    currency: order.currency,
    expected_minor: order.expectedMinor === null ? null : Number(order.expectedMinor),
    paid_minor: Number(order.paidMinor),
    refunded_minor: Number(order.refundedMinor),
    disputed_minor: Number(order.disputedMinor),
    charged_back_minor: Number(order.chargedBackMinor),
    flags: order.flags as OrderSummary['flags'],
    account: order.account,
    metadata: order.metadata as OrderSummary['metadata'],
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
  }
}

export function presentOrder({ order, payments, history }: OrderStory): OrderAnswer {
  return {
    ...presentOrderSummary(order),
    payments: payments.map((payment) => presentPayment(payment as Payment, order.currency)),
    history: history.map(({ at, from, to, messageId, eventId, fact, note }) => ({
      at: at.toISOString(),
      from: from as OrderSummary['status'],
      to: to as OrderSummary['status'],
      message_id: messageId,
      event_id: eventId,
      fact,
      note,
    })),
  }
}

function presentPayment(payment: Payment, orderCurrency: string | null): PaymentAnswer {
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
