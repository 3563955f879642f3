import { Router } from 'express'
import { z } from 'zod'
import { searchEvents } from '../events/search-events.ts'
import { searchOrders } from '../orders/search-orders.ts'
import { searchTextSchema } from '../platform/text.ts'
import { type PageDeps, readQuery } from './page.ts'
import { nameReason } from './summarize-event.ts'
import { texts } from './texts.ts'

const LIMIT = 20

const querySchema = z.strictObject({ q: searchTextSchema.optional() })

/** One box for any id; where one thing matches, straight to it. */
export function createSearchPage({ db, providers, render }: PageDeps): Router {
  const router = Router()
  router.get('/console/search', async (request, response) => {
    const text = readQuery(querySchema, request).q?.trim()
    if (!text) return response.redirect(303, '/console/events')
    const { events, orderIds, ids, match } = await searchEvents(db, text, LIMIT)
    const { orders, isOwnId: isOrder } = await searchOrders(db, { text, providers: [...providers.keys()], limit: LIMIT, orderIds, ids })
    const [order, event] = [orders[0], events[0]]
    const toOrder = order && (isOrder || (match === 'reference' && orders.length === 1))
    const toEvent = event && events.length === 1 && (match === 'id' || orders.length === 0)
    if (toOrder) return response.redirect(303, `/console/orders/${encodeURIComponent(order.orderId)}`)
    if (toEvent) return response.redirect(303, `/console/events/${event.messageId}`)
    const isMore = events.length === LIMIT || orders.length === LIMIT
    render(response, 'search', { title: texts.search.title, text, events, orders, isMore, nameReason })
  })
  return router
}
