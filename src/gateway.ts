import express, { type Express, type Router } from 'express'
import { createApiRouter } from './api/create-api-router.ts'
import { createMetricsRoute } from './api/metrics-route.ts'
import { createConsole } from './console/create-console.ts'
import type { Context } from './context.ts'
import { createHealth, type Health } from './health.ts'
import { createIngress } from './ingress/receive-webhook.ts'
import { createRelay } from './outbox/create-relay.ts'
import { answerErrors, answerNotFound, correlate } from './platform/http.ts'
import { type HttpServer, listen } from './platform/http-server.ts'
import { within } from './platform/shutdown.ts'
import { createWorker } from './processing/create-worker.ts'

/** `operatorPort` is `port` unless OPERATOR_PORT is set. */
export type Gateway = { port: number; operatorPort: number; stop(): Promise<void> }

// Together with the drain, the worker's, the queue's and the database's, this stays within the ten seconds that supervisors grant.
const FLUSH_TIMEOUT_MS = 1500

/** Opens the doors that the role has. `stop` answers what was accepted, hands back the rest and closes everything. */
export async function startGateway(context: Context): Promise<Gateway> {
  const { config, backpressure } = context
  const { host, port, operatorPort } = config.http
  const ingress = createIngress(context)
  const health = createHealth(context)
  const worker = createWorker(context)
  const relay = createRelay(context)
  const pages = config.role === 'worker' ? undefined : createConsole(context)
  const operations = [createMetricsRoute(context), ...(pages ? [pages.router, createApiRouter(context)] : [])]
  const deliveries = config.role === 'worker' ? [] : [ingress.router]

  const isApart = operatorPort !== undefined
  const servers = [
    await listen(createApp(context, health, isApart ? deliveries : [...deliveries, ...operations]), { host, port, variable: 'PORT' }),
  ]
  if (isApart) {
    servers.push(await listen(createApp(context, health, operations), { host, port: operatorPort, variable: 'OPERATOR_PORT' }))
  }
  if (config.role !== 'worker') backpressure.start()
  if (config.role !== 'api') {
    await worker.start()
    relay.start()
  }

  return {
    port: (servers[0] as HttpServer).port,
    operatorPort: (servers.at(-1) as HttpServer).port,
    async stop() {
      health.beginShutdown()
      await new Promise((resolve) => setTimeout(resolve, config.http.shutdownDelayMs))
      const closed = Promise.all(servers.map((server) => server.close()))
      await Promise.all([closed.then(() => within(FLUSH_TIMEOUT_MS, ingress.stop())), worker.stop(), relay.stop()])
      pages?.stop()
      backpressure.stop()
      await context.close()
    },
  }
}

function createApp({ config, logger }: Context, health: Health, routers: Router[]): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('trust proxy', config.http.trustProxy)
  app.use((_request, response, next) => {
    // What senders wrote is in many answers; none of it is a page, whatever it looks like.
    response.set('X-Content-Type-Options', 'nosniff')
    if (health.isShuttingDown()) response.set('Connection', 'close')
    next()
  })
  app.use(health.router)
  app.use('/webhooks', correlate({ accept: false }))
  app.use(correlate({ accept: true }))
  for (const router of routers) app.use(router)
  app.use(answerNotFound)
  app.use(answerErrors(logger))
  return app
}
