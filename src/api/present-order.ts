import type { Order } from '../generated/prisma/client.ts'
import type { OrderStory } from '../orders/find-order.ts'
import type { Payment, PaymentStory } from '../orders/order.ts'
import { judgePayments } from '../orders/payments-that-count.ts'
import type { OrderAnswer, OrderSummary } from './order-schema.ts'
import type { PaymentSummary } from './payment-schema.ts'

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
    payments: presentPayments(order, payments),
    history: history.map(({ at, from, to, messageId, eventId, fact, replayId, note }) => ({
      at: at.toISOString(),
      from: from as OrderSummary['status'],
      to: to as OrderSummary['status'],
      message_id: messageId,
      event_id: eventId,
      fact,
      replay_id: replayId,
      note,
    })),
  }
}

function presentPayments(order: Order, payments: PaymentStory[]): OrderAnswer['payments'] {
  const { orderId, expectedMinor, account } = order
  const currency = order.registeredAt ? order.currency : null
  const { counting } = judgePayments({ orderId, currency, expectedMinor, account }, payments)
  return payments.map((payment) => presentPayment(payment, counting.includes(payment)))
}

function presentPayment(payment: PaymentStory, counts: boolean): OrderAnswer['payments'][number] {
  return {
    ...presentPaymentSummary(payment),
    counts,
    refunds: payment.refunds.map(({ refundId, status, amountMinor, currency }) => ({
      refund_id: refundId,
      status,
      amount_minor: Number(amountMinor),
      currency,
    })),
    disputes: payment.disputes.map(({ disputeId, status, amountMinor, currency }) => ({
      dispute_id: disputeId,
      status,
      amount_minor: Number(amountMinor),
      currency,
    })),
    references: payment.references.map(({ kind, id }) => ({ kind: kind === 'checkout' ? 'checkout_session' : kind, value: id })),
  }
}

/** The same of a payment as it is stored. */
export function presentPaymentSummary(payment: Omit<Payment, 'status' | 'state' | 'flags'> & { status: string }): PaymentSummary {
  return {
    provider: payment.provider,
    payment_id: payment.paymentId,
    status: payment.status as PaymentSummary['status'],
    order_id: payment.orderId,
    currency: payment.currency,
    amount_minor: Number(payment.amountMinor),
    received_minor: Number(payment.receivedMinor),
    refunded_minor: Number(payment.refundedMinor),
    disputed_minor: Number(payment.disputedMinor),
    charged_back_minor: Number(payment.chargedBackMinor),
    account: payment.account,
    livemode: payment.livemode,
    first_at: payment.firstAt.toISOString(),
  }
}
