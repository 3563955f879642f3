import type { Order as OrderRow } from '../generated/prisma/client.ts'
import type { OrderStory } from './find-order.ts'
import type { OrderFlag, OrderStatus, Payment, PaymentStatus, PaymentStory } from './order.ts'
import { judgePayments } from './payments-that-count.ts'

/** An order with its payments, as it is shown. */
export type OrderState = { order: OrderRow; payments: PaymentStory[] }
type Metadata = Record<string, string | number | boolean | null> | null

// Every amount was read as a safe integer, and sums of an order stay within them for any real order.
export function presentOrderSummary(order: OrderRow) {
  return {
    order_id: order.orderId,
    status: order.status as OrderStatus,
    currency: order.currency,
    expected_minor: order.expectedMinor === null ? null : Number(order.expectedMinor),
    paid_minor: Number(order.paidMinor),
    refunded_minor: Number(order.refundedMinor),
    disputed_minor: Number(order.disputedMinor),
    charged_back_minor: Number(order.chargedBackMinor),
    flags: order.flags as OrderFlag[],
    account: order.account,
    metadata: order.metadata as Metadata,
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
  }
}

/** The order as it is now; its history, which only grows, is not part of it. */
export function presentOrderState({ order, payments }: OrderState) {
  return { ...presentOrderSummary(order), payments: presentPayments(order, payments) }
}

export function presentOrder({ history, ...state }: OrderStory) {
  return {
    ...presentOrderState(state),
    history: history.map(({ at, from, to, messageId, eventId, fact, replayId, note, correlationId }) => ({
      at: at.toISOString(),
      from: from as OrderStatus,
      to: to as OrderStatus,
      message_id: messageId,
      event_id: eventId,
      fact,
      replay_id: replayId,
      note,
      correlation_id: correlationId,
      causation_id: replayId ?? messageId,
    })),
  }
}

function presentPayments(order: OrderRow, payments: PaymentStory[]) {
  const { orderId, expectedMinor, account } = order
  const currency = order.registeredAt ? order.currency : null
  const { counting } = judgePayments({ orderId, currency, expectedMinor, account }, payments)
  return payments.map((payment) => presentPayment(payment, counting.includes(payment)))
}

function presentPayment(payment: PaymentStory, counts: boolean) {
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
export function presentPaymentSummary(payment: Omit<Payment, 'status' | 'state' | 'flags'> & { status: string }) {
  return {
    provider: payment.provider,
    payment_id: payment.paymentId,
    status: payment.status as PaymentStatus,
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
