import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Json } from './api.ts'

export const MESSAGE_SECRET = `whsec_${Buffer.from('a key of twenty-four byt').toString('base64')}`

type Received = { headers: IncomingHttpHeaders; body: string; message: Json; answered: number }
export type Receiver = AsyncDisposable & {
  url: string
  /** Every request, in order; `answered` is its status, 0 while it has none. */
  received: Received[]
  /** The messages of this order that were taken, in order. */
  taken(orderId: string): Json[]
}

/** A shop that takes order messages over real HTTP. `answer` gives the status of each; one that never ends leaves the sender waiting. */
export async function startReceiver(answer: (message: Json) => number | Promise<number> = () => 204): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const one: Received = { headers: request.headers, body, message: JSON.parse(body), answered: 0 }
    received.push(one)
    const status = await answer(one.message)
    one.answered = status
    response.writeHead(status, status === 302 ? { Location: '/elsewhere' } : {}).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/messages?key=hidden`,
    received,
    taken: (orderId) =>
      received.filter(({ message, answered }) => message.subject === orderId && answered === 204).map(({ message }) => message),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What the environment of a gateway needs to tell these receivers. */
export function telling(...receivers: { url: string }[]): Record<string, string> {
  return { ORDER_WEBHOOK_URLS: receivers.map(({ url }) => url).join(','), ORDER_WEBHOOK_SECRET: MESSAGE_SECRET }
}
