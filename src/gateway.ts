import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import express from 'express'
import { createApiRouter } from './api/create-api-router.ts'
import type { Context } from './context.ts'
import { createHealth } from './health.ts'
import { createIngress } from './ingress/receive-webhook.ts'
import { StartError } from './platform/errors.ts'
import { answerErrors, answerNotFound, correlate } from './platform/http.ts'
import { within } from './platform/shutdown.ts'
import { createWorker } from './processing/create-worker.ts'

export type Gateway = { port: number; stop(): Promise<void> }

// Load balancers keep idle connections for 60 s; the side that closes first must be theirs, or a delivery is lost on a closing connection.
const KEEP_ALIVE_TIMEOUT_MS = 75_000
const RECEIVE_TIMEOUT_MS = 10_000
// A signature header of hundreds of entries gets a clear answer of ours, rather than Node's.
const MAX_HEADER_BYTES = 65_536
// Together with the queue's and the database's, these stay within the ten seconds that supervisors grant.
const DRAIN_TIMEOUT_MS = 3000
const FLUSH_TIMEOUT_MS = 1500

/** Opens the doors that the role has. `stop` answers what was accepted, hands back the rest and closes everything. */
export async function startGateway(context: Context): Promise<Gateway> {
  const { config, logger } = context
  const ingress = createIngress(context)
  const health = createHealth(context)
  const worker = createWorker(context)

  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('trust proxy', config.http.trustProxy)
  app.use((_request, response, next) => {
    if (health.isShuttingDown()) response.set('Connection', 'close')
    next()
  })
  app.use(health.router)
  if (config.role !== 'worker') {
    app.use('/webhooks', correlate({ accept: false }))
    app.use(ingress.router)
    app.use('/api', correlate({ accept: true }))
    app.use(createApiRouter(context))
  }
  app.use(correlate({ accept: true }), answerNotFound)
  app.use(answerErrors(logger))

  const server = createServer(
    {
      connectionsCheckingInterval: 1000,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      headersTimeout: RECEIVE_TIMEOUT_MS,
      requestTimeout: RECEIVE_TIMEOUT_MS,
    },
    app,
  )
  server.on('clientError', answerUnreadable)
  await listen(server, config.http)
  if (config.role !== 'api') await worker.start()

  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      health.beginShutdown()
      await new Promise((resolve) => setTimeout(resolve, config.http.shutdownDelayMs))
      await Promise.all([closeServer(server).then(() => within(FLUSH_TIMEOUT_MS, ingress.stop())), worker.stop()])
      await context.close()
    },
  }
}

function listen(server: Server, { port, host }: { port: number; host: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(new StartError([`PORT: cannot listen on ${host}:${port} (${cause.code}). Stop what uses it, or set another PORT.`], { cause }))
    })
    server.listen(port, host, resolve)
  })
}

/** Waits for the requests that are under way, but not for ever: a client that hangs gets cut off. */
async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A connection that was busy when the server closed is idle once it is answered, and would be kept alive.
  const sweep = setInterval(() => server.closeIdleConnections(), 20)
  await within(DRAIN_TIMEOUT_MS, closed)
  server.closeAllConnections()
  clearInterval(sweep)
}

const UNREADABLE: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Bytes that are no HTTP request never reach Express. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  socket.end(`HTTP/1.1 ${UNREADABLE[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
