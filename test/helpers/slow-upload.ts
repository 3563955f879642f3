import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { sign } from './signed-webhook.ts'

export type SlowUpload = {
  /** Sends the last byte; the status of the answer. */
  finish(): Promise<number>
  giveUp(): void
}

export type UploadOptions = { announces?: number | 'nothing'; secret?: string }

/** Sends a delivery but for its last byte. When this returns, the gateway has read its head and has begun to read its body. */
export async function beginUpload(url: string, body: string, { announces, secret }: UploadOptions = {}): Promise<SlowUpload> {
  const headers = {
    'Content-Type': 'application/json',
    'Stripe-Signature': sign(body, secret ? { secret } : {}),
    // The gateway asks for the body in the same turn in which it begins to read it.
    Expect: '100-continue',
    ...(announces !== 'nothing' && { 'Content-Length': announces ?? Buffer.byteLength(body) }),
  }
  const outgoing = request(`${url}/webhooks/stripe`, { method: 'POST', agent: false, headers })
  outgoing.on('error', () => {})
  outgoing.flushHeaders()
  await once(outgoing, 'continue')
  outgoing.write(body.slice(0, -1))
  return {
    async finish() {
      outgoing.end(body.slice(-1))
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
      response.resume()
      return response.statusCode ?? 0
    },
    giveUp: () => void outgoing.destroy(),
  }
}
