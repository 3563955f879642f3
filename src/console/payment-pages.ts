import { type RequestHandler, Router } from 'express'
import { v7 as createUuid } from 'uuid'
import { z } from 'zod'
import { toAuditRequest } from '../caller.ts'
import { linkPayment } from '../orders/link-payment.ts'
import { listUnmatchedPayments, paymentPositionSchema, positionOf, readPaymentPosition } from '../orders/list-payments.ts'
import { decodeCursor, pageSchema, toPage } from '../platform/paging.ts'
import { reasonSchema } from '../platform/text.ts'
import { type PageDeps, readForm, readQuery, toQuery } from './page.ts'
import { paymentNotFound } from './problems.ts'
import { requireOperator } from './security.ts'
import { texts } from './texts.ts'

const ORDER_ID = /^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u

const linkSchema = z.object({
  order_id: z.string('is required').trim().regex(ORDER_ID, 'must be 1–255 printable characters'),
  reason: reasonSchema,
})

/** Payments that no order claims, and saying which order one belongs to. */
export function createPaymentPages(deps: PageDeps): Router {
  const router = Router()
  router.get('/console/payments', listPage(deps))
  router.get('/console/payments/:provider/:payment_id/link', requireOperator, askForOrder(deps))
  router.post('/console/payments/:provider/:payment_id/link', requireOperator, link(deps))
  return router
}

function listPage({ db, render }: PageDeps): RequestHandler {
  return async (request, response) => {
    const { limit, cursor } = readQuery(pageSchema, request)
    const before = readPaymentPosition(decodeCursor(paymentPositionSchema, cursor))
    const rows = await listUnmatchedPayments(db, { limit: limit + 1, before })
    const { data: payments, next_cursor: next } = toPage(rows, limit, (payment) => payment, positionOf)
    render(response, 'payments', {
      title: texts.payments.title,
      payments,
      older: next && toQuery({ cursor: next }),
      newest: cursor && '',
    })
  }
}

function askForOrder({ render }: PageDeps): RequestHandler {
  return async (request, response) => {
    render(response, 'link', { title: texts.payments.link, payment: readPayment(request.params) })
  }
}

function link({ db, clock, logger, tellChanges }: PageDeps): RequestHandler {
  return async (request, response) => {
    const { order_id: orderId, reason } = readForm(linkSchema, request)
    const payment = readPayment(request.params)
    const { caller } = response.locals
    const linkId = createUuid()
    const asked = { ...toAuditRequest({ caller, response }, clock()), reason }
    if (!(await linkPayment({ db, tellChanges }, { ...payment, orderId, linkId, request: asked }))) throw paymentNotFound()
    logger.info('payment.linked', {
      provider: payment.provider,
      payment_id: payment.paymentId,
      order_id: orderId,
      link_id: linkId,
      by: caller.name,
    })
    response.redirect(303, `/console/orders/${encodeURIComponent(orderId)}`)
  }
}

function readPayment(params: Record<string, string | string[] | undefined>) {
  return { provider: String(params.provider), paymentId: String(params.payment_id) }
}
