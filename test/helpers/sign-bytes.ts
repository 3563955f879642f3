import { createHmac } from 'node:crypto'
import { SECRET } from './start-test-gateway.ts'

/** A Stripe-Signature over bytes as they are, which need not be UTF-8. */
export function signBytes(body: Uint8Array, secret = SECRET): string {
  const timestamp = Math.floor(Date.now() / 1000)
  return `t=${timestamp},v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`
}
