import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { MESSAGE_SECRET } from '../../test/helpers/message-receiver.ts'

/** One arrival of a message. */
export type Arrival = {
  id: string
  orderId: string
  sequence: number
  /** Of the bytes. */
  digest: string
  /** The highest sequence of this order that was taken before. */
  after: number
  isTaken: boolean
  /** The order as the message shows it; undefined where the signature does not hold. */
  order: OrderShown | undefined
}
type OrderShown = Record<string, unknown>

export type ChaosReceiver = AsyncDisposable & {
  url: string
  arrivals: Arrival[]
  start(): Promise<void>
  /** Refuses connections from now on and breaks those that there are. */
  stop(): Promise<void>
  /** Answers nothing until `release`. */
  hold(): void
  holding(): number
  release(): void
}

/** A shop that takes order messages over real HTTP, and goes away now and then. */
export async function startChaosReceiver(): Promise<ChaosReceiver> {
  const arrivals: Arrival[] = []
  const highest = new Map<string, number>()
  const held: (() => void)[] = []
  let isHolding = false
  let server: Server | undefined
  let port = 0

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrival = readMessage(request, await text(request))
    arrivals.push(Object.assign(arrival, { after: highest.get(arrival.orderId) ?? 0 }))
    if (isHolding) await new Promise<void>((resolve) => held.push(resolve))
    arrival.isTaken = true
    highest.set(arrival.orderId, Math.max(highest.get(arrival.orderId) ?? 0, arrival.sequence))
    response.writeHead(204).end()
  }

  async function start(): Promise<void> {
    const next = createServer((request, response) => {
      // A sender that was killed breaks off.
      take(request, response).catch(() => response.destroy())
    })
    await new Promise<void>((resolve, reject) => next.once('error', reject).listen(port, '127.0.0.1', resolve))
    server = next
    port = (next.address() as AddressInfo).port
  }

  async function stop(): Promise<void> {
    const closed = new Promise((resolve) => server?.close(resolve))
    server?.closeAllConnections()
    await closed
  }

  await start()
  return {
    url: `http://127.0.0.1:${port}/messages`,
    arrivals,
    start,
    stop,
    hold() {
      isHolding = true
    },
    holding: () => held.length,
    release() {
      isHolding = false
      for (const resume of held.splice(0)) resume()
    },
    [Symbol.asyncDispose]: stop,
  }
}

const webhook = new Webhook(MESSAGE_SECRET)

function readMessage({ headers }: IncomingMessage, body: string): Arrival {
  const { subject, sequence, data } = JSON.parse(body)
  const digest = createHash('sha256').update(body).digest('base64')
  return {
    id: String(headers['webhook-id']),
    orderId: subject,
    sequence,
    digest,
    after: 0,
    isTaken: false,
    order: verify(headers, body, data),
  }
}

function verify(headers: IncomingMessage['headers'], body: string, { payments: _payments, ...order }: OrderShown): OrderShown | undefined {
  try {
    webhook.verify(body, headers as Record<string, string>)
    return order
  } catch {
    return undefined
  }
}
