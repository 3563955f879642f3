import { Router } from 'express'
import type { Context } from '../context.ts'
import { authenticate } from './authenticate.ts'
import { createEventRoutes } from './event-routes.ts'
import { createJobRoutes } from './job-routes.ts'
import { createOrderRoutes } from './order-routes.ts'

export function createApiRouter(context: Context): Router {
  const router = Router()
  router.use((_request, response, next) => {
    response.set('Cache-Control', 'no-store')
    next()
  })
  router.use(authenticate(context.config.tokens))
  router.use(createEventRoutes(context), createJobRoutes(context), createOrderRoutes(context))
  return router
}
