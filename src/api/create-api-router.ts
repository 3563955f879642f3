import { Router } from 'express'
import type { Context } from '../context.ts'
import { createAuditOperations } from './audit-routes.ts'
import { authenticate } from './authenticate.ts'
import { deliveryContract } from './delivery-contract.ts'
import { createDocsRoutes } from './docs-routes.ts'
import { createEventReplayOperations } from './event-replay-routes.ts'
import { createEventOperations } from './event-routes.ts'
import { createJobOperations } from './job-routes.ts'
import { createMessageOperations } from './message-routes.ts'
import { mountOperations } from './operation.ts'
import { createOrderOperations } from './order-routes.ts'
import { createPaymentOperations } from './payment-routes.ts'
import { createQueueOperations } from './queue-routes.ts'
import { createReplayOperations } from './replay-routes.ts'
import { createSearchOperations } from './search-routes.ts'
import { createStatisticsOperations } from './statistics-routes.ts'

/** The API, for which every call needs a token, and its documentation, for which none does. */
export function createApiRouter(context: Context): Router {
  const operations = [
    ...createSearchOperations(context),
    ...createEventOperations(context),
    ...createJobOperations(context),
    ...createMessageOperations(context),
    ...createOrderOperations(context),
    ...createPaymentOperations(context),
    ...createEventReplayOperations(context),
    ...createReplayOperations(context),
    ...createQueueOperations(context),
    ...createStatisticsOperations(context),
    ...createAuditOperations(context),
  ]
  const router = Router()
  router.use(createDocsRoutes([deliveryContract, ...operations.map(({ contract }) => contract)]))
  router.use('/api', (_request, response, next) => {
    response.set('Cache-Control', 'no-store')
    next()
  })
  router.use('/api', authenticate(context.config.tokens))
  router.use(mountOperations(operations))
  return router
}
