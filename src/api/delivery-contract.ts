import { z } from 'zod'
import type { OperationContract } from './operation.ts'

const answerSchema = z
  .object({
    status: z.enum(['accepted', 'duplicate']),
    event_id: z.string(),
    message_id: z.uuid(),
    job_id: z.uuid(),
    correlation_id: z.string(),
  })
  .meta({ id: 'DeliveryAnswer' })

/** What the ingress answers; it is documented here and served there. */
export const deliveryContract: OperationContract = {
  method: 'post',
  path: '/webhooks/{provider}',
  id: 'receiveWebhook',
  summary: 'A delivery of a provider',
  description: 'Authenticated by the signature of the provider over the raw bytes. 2xx means: the event is on disk, with its job.',
  params: z.object({ provider: z.string().meta({ example: 'stripe' }) }),
  body: z.record(z.string(), z.unknown()),
  answers: {
    200: { description: 'Stored before', schema: answerSchema },
    202: { description: 'Stored now', schema: answerSchema },
  },
  problems: {
    400: [
      'signature_missing',
      'signature_malformed',
      'signature_mismatch',
      'timestamp_out_of_tolerance',
      'payload_invalid',
      'body_incomplete',
    ],
    404: ['provider_unknown'],
    405: ['method_not_allowed'],
    413: ['body_too_large'],
    415: ['encoding_unsupported'],
    503: ['commit_timeout', 'storage_unavailable', 'overloaded', 'queue_full', 'unavailable'],
  },
}
