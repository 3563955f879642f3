import { z } from 'zod'
import type { Context } from '../context.ts'
import { searchEvents } from '../events/search-events.ts'
import { presentOrderSummary } from '../orders/present-order.ts'
import { searchOrders } from '../orders/search-orders.ts'
import { searchTextSchema } from '../platform/text.ts'
import { eventSummarySchema } from './event-schema.ts'
import { defineOperation, type Operation } from './operation.ts'
import { orderSummarySchema } from './order-schema.ts'
import { presentEventSummary } from './present-event.ts'

const querySchema = z.strictObject({
  q: searchTextSchema.meta({ description: 'Any id, e-mail address or order number, or how one begins', example: 'pi_3Pabc' }),
  limit: z.coerce.number().int().min(1).max(50).default(20).meta({ description: 'How many of each to answer' }),
})

const foundSchema = z.object({ orders: z.array(orderSummarySchema), events: z.array(eventSummarySchema) }).meta({ id: 'Found' })

export function createSearchOperations({ db, providers }: Pick<Context, 'db' | 'providers'>): Operation[] {
  return [
    defineOperation(
      {
        method: 'get',
        path: '/api/search',
        id: 'search',
        summary: 'Find orders and events by any id',
        description:
          'What equals the text; where nothing does, what begins with it: event ids, our message and job ids, order ids, ids of payments, charges, checkouts, invoices, subscriptions, refunds, disputes and customers, e-mail addresses in any case.',
        roles: ['viewer', 'operator'],
        query: querySchema,
        answers: { 200: { description: 'What was found', schema: foundSchema } },
      },
      async ({ query: { q, limit } }) => {
        const { events, orderIds, ids } = await searchEvents(db, q, limit)
        const { orders } = await searchOrders(db, { text: q, providers: [...providers.keys()], limit, orderIds, ids })
        return { status: 200, body: { orders: orders.map(presentOrderSummary), events: events.map(presentEventSummary) } }
      },
    ),
  ]
}
