import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { StartError } from './errors.ts'
import { within } from './shutdown.ts'

export type HttpServer = { port: number; close(): Promise<void> }
export type ListenOptions = { host: string; port: number /** The variable to name when the port is taken. */; variable: string }

// Load balancers keep idle connections for 60 s; the side that closes first must be theirs, or a delivery is lost on a closing connection.
const KEEP_ALIVE_TIMEOUT_MS = 75_000
const RECEIVE_TIMEOUT_MS = 10_000
// A signature header of hundreds of entries gets a clear answer of ours, rather than Node's.
const MAX_HEADER_BYTES = 65_536
const DRAIN_TIMEOUT_MS = 3000

/** Listens; `close` answers what is under way, then cuts off what hangs. */
export async function listen(app: RequestListener, { host, port, variable }: ListenOptions): Promise<HttpServer> {
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
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(
        new StartError([`${variable}: cannot listen on ${host}:${port} (${cause.code}). Stop what uses it, or set another.`], { cause }),
      )
    })
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // A connection that was busy when the server closed is idle once it is answered, and would be kept alive.
      const sweep = setInterval(() => server.closeIdleConnections(), 20)
      await within(DRAIN_TIMEOUT_MS, closed)
      server.closeAllConnections()
      clearInterval(sweep)
    },
  }
}

const UNREADABLE: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Bytes that are no HTTP request never reach Express. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  // Destroyed once it is sent: a client that ignores our half of the end would hold its place for ever.
  socket.end(`HTTP/1.1 ${UNREADABLE[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
    socket.destroy(),
  )
}
