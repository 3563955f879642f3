import { describeError } from '../platform/describe-error.ts'
import type { OrderMessage } from './order-message.ts'
import { signMessage } from './sign-message.ts'

type Receiver = { url: string; keys: Buffer[]; timeoutMs: number }
/** `isOver` ends what is still under way. */
export type SendOptions = Receiver & { now: Date; isOver: AbortSignal }

/** Sends a message once; undefined when the receiver took it, else why not, in words without address or content. */
export async function sendMessage(message: OrderMessage, options: SendOptions): Promise<string | undefined> {
  const { url, keys, timeoutMs, now, isOver } = options
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: toHeaders(message, keys, now),
      body: message.body,
      // An address that moved has to be configured: what is signed for one receiver is not handed to another.
      redirect: 'manual',
      signal: AbortSignal.any([timeout, isOver]),
    })
    // Nobody reads it, and it could be without end.
    await response.body?.cancel()
    return response.ok ? undefined : `answered ${response.status}`
  } catch (error) {
    return timeout.aborted ? `no answer within ${timeoutMs} ms` : `no answer: ${codeOf(error)}`
  }
}

function toHeaders({ messageId, body }: OrderMessage, keys: Buffer[], now: Date): Record<string, string> {
  const timestampSeconds = Math.floor(now.getTime() / 1000)
  return {
    'Content-Type': 'application/cloudevents+json; charset=utf-8',
    'User-Agent': 'Sluice',
    'webhook-id': messageId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signMessage({ messageId, timestampSeconds, body }, keys),
  }
}

/** Of a connection that failed, the code alone: the message can hold the address. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } }
  return typeof cause?.code === 'string' ? cause.code : describeError(error)
}
