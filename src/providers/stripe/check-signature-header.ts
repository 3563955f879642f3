import type { IncomingHttpHeaders } from 'node:http'
import { type CheckedHeaders, DeliveryRefusedError } from '../provider.ts'

// Stripe's own tolerance; its SDK bounds only the past, and a time in the future is as wrong.
const TOLERANCE_SECONDS = 300
const MAX_HEADER_LENGTH = 4096
// While a secret is rolled Stripe signs with both; more than a few is somebody buying work.
const MAX_SIGNATURES = 16

/**
 * The gate before the SDK, which it needs since the SDK accepts `t=123abc` and any future time, takes the last of
 * several `t`, and throws at a malformed `v1` beside a good one.
 * Stripe's format: https://docs.stripe.com/webhooks#verify-manually
 */
export function checkSignatureHeader(headers: IncomingHttpHeaders, now: Date): CheckedHeaders & { timestampSeconds: number } {
  const header = headers['stripe-signature']
  if (header === undefined || header === '') throw new DeliveryRefusedError('signature_missing', 'The Stripe-Signature header is missing.')
  if (typeof header !== 'string') throw malformed('stands there more than once')
  if (header.length > MAX_HEADER_LENGTH) throw malformed(`is longer than ${MAX_HEADER_LENGTH} characters`)

  const items = header.split(',')
  const timestampSeconds = readTimestamp(items)
  const signatures = readSignatures(items)
  const clockOffsetSeconds = timestampSeconds - Math.floor(now.getTime() / 1000)
  if (Math.abs(clockOffsetSeconds) > TOLERANCE_SECONDS) throw outOfTolerance(clockOffsetSeconds)
  return { timestampSeconds, signatures, clockOffsetSeconds }
}

function readTimestamp(items: string[]): number {
  const timestamps = items.filter((item) => item.split('=')[0] === 't')
  const digits = /^t=(0|[1-9]\d{0,11})$/.exec(timestamps[0] ?? '')?.[1]
  if (timestamps.length !== 1 || digits === undefined) throw malformed('needs exactly one t=<seconds>')
  return Number(digits)
}

function readSignatures(items: string[]): string[] {
  const candidates = items.filter((item) => item.startsWith('v1='))
  if (candidates.length > MAX_SIGNATURES) throw malformed(`has more than ${MAX_SIGNATURES} signatures`)
  const signatures = candidates.map((item) => item.slice(3)).filter((signature) => /^[0-9a-f]{64}$/.test(signature))
  if (signatures.length === 0) throw malformed('needs a v1=<64 hex digits>')
  return signatures
}

function malformed(what: string): DeliveryRefusedError {
  return new DeliveryRefusedError('signature_malformed', `The Stripe-Signature header ${what}.`)
}

function outOfTolerance(clockOffsetSeconds: number): DeliveryRefusedError {
  const where = clockOffsetSeconds < 0 ? 'past' : 'future'
  return new DeliveryRefusedError(
    'timestamp_out_of_tolerance',
    `The signature's time is more than ${TOLERANCE_SECONDS} s in the ${where}.`,
    {
      clockOffsetSeconds,
      hint: 'an old delivery sent again, or one of the two clocks is wrong',
    },
  )
}
