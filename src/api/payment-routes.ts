import { v7 as createUuid } from 'uuid'
import { z } from 'zod'
import { toAuditRequest } from '../caller.ts'
import type { Context } from '../context.ts'
import { findOrder } from '../orders/find-order.ts'
import { linkPayment } from '../orders/link-payment.ts'
import { listUnmatchedPayments, paymentPositionSchema, positionOf, readPaymentPosition } from '../orders/list-payments.ts'
import { presentOrder, presentPaymentSummary } from '../orders/present-order.ts'
import { HttpError } from '../platform/errors.ts'
import { decodeCursor, toPage } from '../platform/paging.ts'
import { defineOperation, type Operation } from './operation.ts'
import { type OrderAnswer, orderSchema } from './order-schema.ts'
import { linkSchema, type PaymentSummary, paymentFilterSchema, paymentListSchema } from './payment-schema.ts'

type Deps = Pick<Context, 'db' | 'clock' | 'logger' | 'tellChanges'>

export function createPaymentOperations(deps: Deps): Operation[] {
  return [listOperation(deps), linkOperation(deps)]
}

function listOperation({ db }: Deps): Operation {
  return defineOperation(
    {
      method: 'get',
      path: '/api/payments',
      id: 'listPayments',
      summary: 'Payments that no order claims, the last heard of first',
      roles: ['viewer', 'operator'],
      query: paymentFilterSchema,
      answers: { 200: { description: 'A page of payments', schema: paymentListSchema } },
    },
    async ({ query }) => {
      const before = readPaymentPosition(decodeCursor(paymentPositionSchema, query.cursor))
      const payments = await listUnmatchedPayments(db, { limit: query.limit + 1, before })
      const present = presentPaymentSummary satisfies (payment: (typeof payments)[number]) => PaymentSummary
      return { status: 200, body: toPage(payments, query.limit, present, positionOf) }
    },
  )
}

function linkOperation({ db, clock, logger, tellChanges }: Deps): Operation {
  return defineOperation(
    {
      method: 'post',
      path: '/api/payments/{provider}/{payment_id}/link',
      id: 'linkPayment',
      summary: 'Say which order a payment belongs to',
      description:
        'Any id of it will do: the payment, a charge, a checkout session, an invoice, a refund, a dispute. The latest link wins over what events name, and stands in the history of each order that it changes.',
      roles: ['operator'],
      params: z.object({ provider: z.string(), payment_id: z.string() }),
      body: linkSchema,
      answers: { 200: { description: 'The order, computed anew', schema: orderSchema } },
      problems: { 404: ['payment_not_found'] },
    },
    async ({ params: { provider, payment_id: paymentId }, body: { order_id: orderId, reason }, caller, response }) => {
      const linkId = createUuid()
      const request = { ...toAuditRequest({ caller, response }, clock()), reason }
      if (!(await linkPayment({ db, tellChanges }, { provider, paymentId, orderId, linkId, request }))) throw notFound()
      logger.info('payment.linked', { provider, payment_id: paymentId, order_id: orderId, link_id: linkId, by: caller.name })
      const story = await findOrder(db, orderId)
      if (!story) throw new Error('A linked order was not found')
      return { status: 200, body: presentOrder(story) satisfies OrderAnswer }
    },
  )
}

function notFound(): HttpError {
  return new HttpError(404, 'payment_not_found', 'No event has named this payment, nor anything else of this id that belongs to one.')
}
