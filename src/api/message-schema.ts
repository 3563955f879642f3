import { z } from 'zod'
import { messageStatusSchema } from '../outbox/message-filter-schema.ts'
import { listSchema, timeSchema } from '../platform/paging.ts'
import { reasonSchema } from '../platform/text.ts'

const dispatchSchema = z.object({
  receiver: z.string().meta({ description: 'The host of its URL' }),
  status: messageStatusSchema,
  attempts: z.int(),
  last_attempt_at: timeSchema.nullable(),
  last_error: z.string().nullable(),
  expires_at: timeSchema.meta({ description: 'An attempt that fails from then on is the last one' }),
})

export const messageSchema = z
  .object({
    message_id: z.uuid(),
    order_id: z.string(),
    sequence: z.int().meta({ description: 'Grows with each message of an order' }),
    type: z.string().meta({ example: 'order.paid' }),
    correlation_id: z.string(),
    causation_id: z.uuid().nullable().meta({ description: 'The event that caused it; null for a registration or a link' }),
    created_at: timeSchema,
    dispatches: z.array(dispatchSchema).meta({ description: 'How it stands with each receiver' }),
  })
  .meta({ id: 'Message' })

export const messageListSchema = listSchema(messageSchema).meta({ id: 'MessageList' })

export const messageIdSchema = z.object({ message_id: z.uuid() })

export const resendSchema = z
  .strictObject({ reason: reasonSchema.meta({ example: 'The shop was down over the weekend' }) })
  .meta({ id: 'MessageResend' })

export type MessageAnswer = z.infer<typeof messageSchema>
