import { Router } from 'express'
import type { Context } from '../context.ts'
import { authenticate } from './authenticate.ts'
import { createEventOperations } from './event-routes.ts'
import { createJobOperations } from './job-routes.ts'
import { mountOperations } from './operation.ts'
import { createOrderOperations } from './order-routes.ts'

export function createApiRouter(context: Context): Router {
  const router = Router()
  router.use('/api', (_request, response, next) => {
    response.set('Cache-Control', 'no-store')
    next()
  })
  router.use('/api', authenticate(context.config.tokens))
  router.use(mountOperations([...createEventOperations(context), ...createJobOperations(context), ...createOrderOperations(context)]))
  return router
}
