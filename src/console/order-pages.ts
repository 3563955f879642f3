import { type RequestHandler, Router } from 'express'
import { listEvents } from '../events/list-events.ts'
import type { Order, WebhookEvent } from '../generated/prisma/client.ts'
import { findOrder, type OrderStory } from '../orders/find-order.ts'
import { listOrders } from '../orders/list-orders.ts'
import {
  orderFilterSchema,
  orderFlagSchema,
  orderPositionSchema,
  orderStatusSchema,
  readOrderFilter,
} from '../orders/order-filter-schema.ts'
import { judgePayments } from '../orders/payments-that-count.ts'
import { listMessages } from '../outbox/list-messages.ts'
import { decodeCursor, toPage } from '../platform/paging.ts'
import { explainOrder } from './explain-order.ts'
import { afterSchema, countNewer, NEWER_LIMIT } from './newer.ts'
import { type PageDeps, readQuery, toQuery } from './page.ts'
import { orderNotFound } from './problems.ts'
import { nameReason } from './summarize-event.ts'
import { texts } from './texts.ts'

// What an order has in a lifetime; the list of events, filtered by the order, has the rest.
const MAX_SHOWN = 200

export function createOrderPages(deps: PageDeps): Router {
  const router = Router()
  router.get('/console/orders', listPage(deps))
  router.get('/console/newer-orders', newerAnswer(deps))
  router.get('/console/orders/:order_id', orderPage(deps))
  return router
}

function listPage({ db, render }: PageDeps): RequestHandler {
  return async (request, response) => {
    const { limit, cursor, ...filter } = readQuery(orderFilterSchema, request)
    const [updatedAt, orderId] = decodeCursor(orderPositionSchema, cursor) ?? []
    const before = updatedAt === undefined || orderId === undefined ? undefined : { updatedAt: new Date(updatedAt), orderId }
    const rows = await listOrders(db, { filter: readOrderFilter(filter), limit: limit + 1, before })
    const { data: orders, next_cursor: next } = toPage(
      rows,
      limit,
      (order) => order,
      (order) => [order.updatedAt.toISOString(), order.orderId],
    )
    render(response, 'orders', {
      title: texts.orders.title,
      filter,
      isFiltered: Object.keys(filter).length > 0,
      statuses: orderStatusSchema.options,
      flags: orderFlagSchema.options,
      orders,
      older: next && toQuery({ ...filter, cursor: next }),
      newest: cursor && toQuery(filter),
      newer: cursor === undefined && `/console/newer-orders${toQuery({ ...filter, after: orders[0]?.updatedAt.toISOString() ?? '-' })}`,
    })
  }
}

/** How many orders changed since. */
function newerAnswer({ db }: PageDeps): RequestHandler {
  return async (request, response) => {
    const { limit, cursor, after, ...filter } = readQuery(orderFilterSchema.extend({ after: afterSchema }), request)
    const rows = await listOrders(db, { filter: readOrderFilter(filter), limit: NEWER_LIMIT + 1 })
    response.json(countNewer(rows, (order: Order) => order.updatedAt.toISOString() > after))
  }
}

function orderPage({ db, render }: PageDeps): RequestHandler {
  return async (request, response) => {
    const orderId = String(request.params.order_id)
    const story = await findOrder(db, orderId)
    if (!story) throw orderNotFound()
    const [arrived, messages] = await Promise.all([
      listEvents(db, { filter: { orderId }, limit: MAX_SHOWN }),
      listMessages(db, { filter: { orderId }, limit: MAX_SHOWN }),
    ])
    const counting = findCounting(story)
    const isByArrival = request.query.by === 'arrival'
    render(response, 'order', {
      ...story,
      title: texts.order.title(orderId),
      counting,
      because: explainOrder(story.order, counting),
      isByArrival,
      events: orderEvents(arrived, isByArrival),
      isCut: arrived.length === MAX_SHOWN,
      messages,
      nameReason,
    })
  }
}

/** As the order itself was derived. */
function findCounting({ order, payments }: OrderStory) {
  const { orderId, expectedMinor, account, registeredAt } = order
  const { counting } = judgePayments({ orderId, currency: registeredAt ? order.currency : null, expectedMinor, account }, payments)
  return payments.filter((payment) => counting.includes(payment))
}

type Placed = {
  event: WebhookEvent /** Where the event stands by arrival, counted from 1, if that is not where it stands by happening. */
  arrivedAs: number | null
}

function orderEvents(newestFirst: WebhookEvent[], isByArrival: boolean): Placed[] {
  const arrived = newestFirst.toReversed()
  const happenedAt = ({ occurredAt, receivedAt }: WebhookEvent) => (occurredAt ?? receivedAt).getTime()
  const happened = [...arrived].sort((left, right) => happenedAt(left) - happenedAt(right))
  return (isByArrival ? arrived : happened).map((event) => {
    const place = arrived.indexOf(event)
    return { event, arrivedAs: happened.indexOf(event) === place ? null : place + 1 }
  })
}
