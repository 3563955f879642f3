import { z } from 'zod'
import { toAuditRequest } from '../caller.ts'
import type { Context } from '../context.ts'
import { findOrder } from '../orders/find-order.ts'
import { listOrders } from '../orders/list-orders.ts'
import { orderFilterSchema, orderPositionSchema, readOrderFilter } from '../orders/order-filter-schema.ts'
import { presentOrder, presentOrderSummary } from '../orders/present-order.ts'
import { registerOrder } from '../orders/register-order.ts'
import { HttpError } from '../platform/errors.ts'
import { decodeCursor, toPage } from '../platform/paging.ts'
import { defineOperation, type Operation } from './operation.ts'
import { type OrderAnswer, type OrderSummary, orderIdSchema, orderListSchema, orderSchema, registrationSchema } from './order-schema.ts'

type Deps = Pick<Context, 'db' | 'clock' | 'tellChanges'>

export function createOrderOperations(deps: Deps): Operation[] {
  return [listOperation(deps), getOperation(deps), registerOperation(deps)]
}

function listOperation({ db }: Deps): Operation {
  return defineOperation(
    {
      method: 'get',
      path: '/api/orders',
      id: 'listOrders',
      summary: 'Find orders, the last updated first',
      roles: ['viewer', 'operator'],
      query: orderFilterSchema,
      answers: { 200: { description: 'A page of orders', schema: orderListSchema } },
    },
    async ({ query }) => {
      const [updatedAt, orderId] = decodeCursor(orderPositionSchema, query.cursor) ?? []
      const before = updatedAt === undefined || orderId === undefined ? undefined : { updatedAt: new Date(updatedAt), orderId }
      const orders = await listOrders(db, { filter: readOrderFilter(query), limit: query.limit + 1, before })
      const present = presentOrderSummary satisfies (order: (typeof orders)[number]) => OrderSummary
      return { status: 200, body: toPage(orders, query.limit, present, (order) => [order.updatedAt.toISOString(), order.orderId]) }
    },
  )
}

function getOperation({ db }: Deps): Operation {
  return defineOperation(
    {
      method: 'get',
      path: '/api/orders/{order_id}',
      id: 'getOrder',
      summary: 'An order with its payments and its history',
      roles: ['viewer', 'operator', 'shop'],
      params: z.object({ order_id: z.string() }),
      answers: { 200: { description: 'The order', schema: orderSchema } },
      problems: { 404: ['order_not_found'] },
    },
    async ({ params }) => {
      const story = await findOrder(db, params.order_id)
      if (!story) {
        throw new HttpError(404, 'order_not_found', 'No order has this id: no event has named it, and nobody has registered it.')
      }
      return { status: 200, body: presentOrder(story) satisfies OrderAnswer }
    },
  )
}

function registerOperation({ db, clock, tellChanges }: Deps): Operation {
  return defineOperation(
    {
      method: 'put',
      path: '/api/orders/{order_id}',
      id: 'registerOrder',
      summary: 'Say what an order should cost',
      description: 'Payments may have made the order before. Its status is computed anew before the answer.',
      roles: ['operator', 'shop'],
      params: orderIdSchema,
      body: registrationSchema,
      answers: {
        200: { description: 'It was registered like this before, or is replaced', schema: orderSchema },
        201: { description: 'Registered for the first time', schema: orderSchema },
      },
      problems: { 409: ['order_conflict'] },
    },
    async ({ params: { order_id: orderId }, body, caller, response }) => {
      if (body.replace && caller.role !== 'operator') throw onlyOperators()
      const outcome = await registerOrder(
        { db, tellChanges },
        {
          registration: {
            orderId,
            currency: body.currency,
            expectedMinor: BigInt(body.expected_minor),
            account: body.account ?? null,
            metadata: body.metadata ?? null,
          },
          replace: body.replace === true,
          request: { ...toAuditRequest({ caller, response }, clock()), reason: body.reason ?? null },
        },
      )
      if (outcome === 'conflict') throw conflict()
      const story = await findOrder(db, orderId)
      if (!story) throw new Error('A registered order was not found')
      return { status: outcome === 'registered' ? 201 : 200, body: presentOrder(story) satisfies OrderAnswer }
    },
  )
}

function onlyOperators(): HttpError {
  return new HttpError(403, 'role_insufficient', 'Only an operator can replace a registration.')
}

function conflict(): HttpError {
  const detail = 'The order is registered with another currency, amount or account. An operator can add "replace": true and a "reason".'
  return new HttpError(409, 'order_conflict', detail)
}
