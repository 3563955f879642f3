import { z } from 'zod'
import type { EventEnvelope } from '../../events/event.ts'
import { DeliveryRefusedError } from '../provider.ts'

const printable = z.string().regex(/^[\x20-\x7e]{1,255}$/)
const optionalText = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/)
  .nullable()
  .catch(null)

// The id and the type make an event; whatever else is odd, the event is stored as it came.
const envelopeSchema = z.object({
  id: printable,
  type: printable,
  account: optionalText.default(null),
  context: optionalText.default(null),
  livemode: z.boolean().nullable().catch(null).default(null),
  api_version: optionalText.default(null),
  created: z
    .union([z.number(), z.iso.datetime({ offset: true })])
    .nullable()
    .catch(null)
    .default(null),
})

/** Reads an authentic body; snapshot and thin (`v2.core.event`) events share these fields. Throws `payload_invalid`. */
export function readEnvelope(body: Buffer): EventEnvelope {
  const parsed = envelopeSchema.safeParse(parseJson(body))
  if (!parsed.success) {
    throw new DeliveryRefusedError(
      'payload_invalid',
      'The body is not a JSON object with an id and a type of 1–255 printable ASCII characters.',
    )
  }
  const { id, type, account, context, livemode, api_version, created } = parsed.data
  return { eventId: id, type, account: account ?? context, livemode, apiVersion: api_version, occurredAt: readTime(created) }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (cause) {
    throw new DeliveryRefusedError('payload_invalid', 'The body is not JSON, or is nested too deep to read.', {}, { cause })
  }
}

/** Seconds since 1970 in a snapshot event, RFC 3339 in a thin one. Times that PostgreSQL cannot hold are dropped. */
function readTime(created: number | string | null): Date | null {
  if (created === null) return null
  const time = new Date(typeof created === 'number' ? created * 1000 : created)
  return time.getTime() >= 0 && time.getFullYear() <= 9999 ? time : null
}
