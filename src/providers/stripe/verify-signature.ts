import { isUtf8 } from 'node:buffer'
import Stripe from 'stripe'
import type { NamedSecret } from '../../config.ts'
import { type CheckedHeaders, DeliveryRefusedError } from '../provider.ts'

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * The name of the secret that signed these bytes. The SDK computes the HMAC over decoded text: it drops a byte-order
 * mark and replaces invalid UTF-8, so two bodies could verify as one. Both are refused here first.
 */
export function verifySignature(checked: CheckedHeaders, body: Buffer, secrets: NamedSecret[]): string {
  if (!isUtf8(body) || body.subarray(0, 3).equals(BYTE_ORDER_MARK))
    throw mismatch(checked, secrets, 'the body is not plain UTF-8, which Stripe sends')
  const header = [`t=${checked.timestampSeconds}`, ...checked.signatures.map((signature) => `v1=${signature}`)].join(',')
  const match = secrets.find(({ secret }) => isSignedWith(body, header, secret))
  if (!match) throw mismatch(checked, secrets, 'body changed or wrong secret')
  return match.name
}

function isSignedWith(body: Buffer, header: string, secret: string): boolean {
  try {
    // The gate has judged the time; here it is only part of what was signed (0 turns the SDK's own check off).
    return Stripe.webhooks.signature?.verifyHeader(body, header, secret, 0) === true
  } catch {
    return false
  }
}

function mismatch(checked: CheckedHeaders, secrets: NamedSecret[], hint: string): DeliveryRefusedError {
  return new DeliveryRefusedError('signature_mismatch', 'No configured secret signed this body.', {
    secretsTried: secrets.map(({ name }) => name),
    ...(checked.clockOffsetSeconds !== undefined && { clockOffsetSeconds: checked.clockOffsetSeconds }),
    hint,
  })
}
