import type { OrderAnswer } from '../../../src/api/order-schema.ts'
import type { ExpectedOrder } from './model/world.ts'

/** What two deliveries of one story must agree on: an order without times, references and history. */
export function pickOrder(order: OrderAnswer): ExpectedOrder {
  const { order_id, status, currency, expected_minor, paid_minor, refunded_minor, disputed_minor, charged_back_minor, flags } = order
  const payments = order.payments.filter((payment) => payment.order_id === order_id)
  return {
    order_id,
    status,
    currency,
    expected_minor,
    paid_minor,
    refunded_minor,
    disputed_minor,
    charged_back_minor,
    flags: [...flags].sort(),
    payments: payments.map(pickPayment).sort((left, right) => (left.payment_id < right.payment_id ? -1 : 1)),
  }
}

function pickPayment(payment: OrderAnswer['payments'][number]): ExpectedOrder['payments'][number] {
  const { provider, payment_id, status, counts, currency, amount_minor, received_minor, refunded_minor, account, livemode } = payment
  const { refunds, disputes } = payment
  return {
    provider,
    payment_id,
    status,
    counts,
    currency,
    amount_minor,
    received_minor,
    refunded_minor,
    account,
    livemode,
    refunds,
    disputes: [...disputes].sort((left, right) => (left.dispute_id < right.dispute_id ? -1 : 1)),
  }
}
