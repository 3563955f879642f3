import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type EchoingReceiver = AsyncDisposable & { url: string /** How many requests it has refused. */; refused(): number }

/** A receiver that takes nothing, and sends back all that it was told and `more`: in its answers, then by hanging up in the middle of one. */
export async function startEchoingReceiver(more: string): Promise<EchoingReceiver> {
  let refused = 0
  const server = createServer(async (request, response) => {
    const echo = JSON.stringify([await text(request), request.headers, request.url, more])
    refused += 1
    if (refused % 2 === 1) return response.writeHead(500, `no ${more}`, { 'X-Echo': more, 'Content-Type': 'text/plain' }).end(echo)
    response.write(echo)
    response.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/messages`,
    refused: () => refused,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
