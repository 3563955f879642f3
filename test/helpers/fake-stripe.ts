import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { sign, uniqueId } from './signed-webhook.ts'

type StripeEvent = { id: string }

/** What stripe-cli reports of a delivery: what the gateway answered. */
export type Report = { status: number; answer: Record<string, unknown> }

export type FakeStripe = {
  apiBase: string
  /** The secret of every session, as Stripe keeps it for one account and device. */
  secret: string
  isListening(): boolean
  /** Signs the event now and sends it to the stripe-cli that listens. */
  send(event: StripeEvent): void
  /** The reports on this event, in their order. */
  reportsOf(event: StripeEvent): Report[]
  stop(): Promise<void>
}

const WEBSOCKET_PATH = '/subscribe/acct_1'
const SUBPROTOCOL = 'stripecli-devproxy-v1'

/** The part of Stripe that stripe-cli needs to listen and to resend: sessions, a websocket, and the retry of an event. */
export async function startFakeStripe(): Promise<FakeStripe> {
  const secret = `whsec_${randomBytes(32).toString('hex')}`
  const sent = new Map<string, StripeEvent>()
  const reports: Report[] = []
  let cli: WebSocket | undefined

  const http = createServer((request, response) => void answer(request, response))
  const websockets = new WebSocketServer({ server: http, handleProtocols: () => SUBPROTOCOL })
  websockets.on('connection', (socket) => {
    cli = socket
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { type: string; status: number; body: string }
      if (message.type === 'webhook_response') reports.push({ status: message.status, answer: JSON.parse(message.body) })
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(http.address() as AddressInfo).port}`

  function send(event: StripeEvent): void {
    if (!cli) throw new Error('No stripe-cli listens')
    sent.set(event.id, event)
    cli.send(JSON.stringify(toWebhookMessage(event, secret)))
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const retried = sent.get(/^\/v1\/events\/(\w+)\/retry/.exec(request.url ?? '')?.[1] ?? '')
    const isSession = request.url?.startsWith('/v1/stripecli/sessions')
    if (retried) send(retried)
    const body = isSession
      ? toSession(host, secret)
      : (retried ?? { error: { message: `The fake has no ${request.method} ${request.url}` } })
    request.resume()
    response.writeHead(isSession || retried ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  }

  return {
    apiBase: `http://${host}`,
    secret,
    isListening: () => cli?.readyState === cli?.OPEN && cli !== undefined,
    send,
    reportsOf: ({ id }) => reports.filter((report) => report.answer.event_id === id),
    async stop() {
      for (const client of websockets.clients) client.terminate()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

function toSession(host: string, secret: string): object {
  return {
    websocket_url: `ws://${host}${WEBSOCKET_PATH}`,
    websocket_id: uniqueId('cliws'),
    websocket_authorized_feature: 'webhooks',
    reconnect_delay: 60,
    secret,
    default_version: '2026-10-28.endive',
    latest_version: '2026-10-28.endive',
    device_token: '',
    display_connect_filter_warning: false,
  }
}

/** Stripe pretty-prints the body and makes all the headers; in test mode it adds a signature `v0`, which is no proof. */
function toWebhookMessage(event: StripeEvent, secret: string): object {
  const body = JSON.stringify(event, null, 2)
  return {
    type: 'webhook_event',
    endpoint: { api_version: null },
    event_payload: body,
    http_headers: {
      'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      Accept: '*/*; q=0.5, application/xml',
      'Cache-Control': 'no-cache',
      'Content-Type': 'application/json; charset=utf-8',
      'Stripe-Signature': `${sign(body, { secret })},v0=${randomBytes(32).toString('hex')}`,
    },
    webhook_id: uniqueId('wh'),
    webhook_conversation_id: uniqueId('wc'),
  }
}
