import { z } from 'zod'
import { eventStatusSchema } from '../events/event-filter-schema.ts'
import { orderStatusSchema } from '../orders/order-filter-schema.ts'
import { listSchema, timeSchema } from '../platform/paging.ts'
import { messageSchema } from './message-schema.ts'
import { causeShape } from './order-schema.ts'
import { minor } from './payment-schema.ts'

export const eventIdSchema = z.object({
  id: z.string().min(1).max(255).meta({ description: "The provider's event id or our message_id", example: 'evt_1Pxyz' }),
})

const summaryShape = {
  message_id: z.uuid(),
  event_id: z.string(),
  provider: z.string(),
  type: z.string(),
  account: z.string().nullable().meta({ description: 'The connected account, where there is one' }),
  livemode: z.boolean().nullable(),
  api_version: z.string().nullable(),
  status: eventStatusSchema,
  reason: z.string().nullable().meta({ description: 'Why it is ignored, parked or dead, or processed without an order' }),
  occurred_at: timeSchema.nullable().meta({ description: "By the provider's clock" }),
  received_at: timeSchema,
  processed_at: timeSchema.nullable(),
  duplicate_count: z.int(),
  last_duplicate_at: timeSchema.nullable(),
  secret_name: z.string().meta({ description: 'Which configured secret verified it' }),
  correlation_id: z.string(),
  causation_id: z.string().nullable(),
  job_id: z.uuid(),
}

export const eventSummarySchema = z.object(summaryShape).meta({ id: 'EventSummary' })

const attemptSchema = z.object({
  attempt: z.int(),
  started_at: timeSchema,
  finished_at: timeSchema.nullable(),
  outcome: z.enum(['succeeded', 'failed']),
  error: z.string().nullable(),
})

const eventReplaySchema = z.object({
  replay_id: z.uuid(),
  kind: z.enum(['event', 'filter', 'redrive']),
  requested_by: z.string(),
  reason: z.string(),
  status: z.enum(['queued', 'done', 'failed']),
  queued_at: timeSchema,
  finished_at: timeSchema.nullable(),
})

const changeSchema = z.object({
  order_id: z.string(),
  at: timeSchema,
  from: orderStatusSchema,
  to: orderStatusSchema.meta({ description: 'The same as `from` where the note says why the fact was refused' }),
  fact: z.string().nullable(),
  note: z.string().nullable(),
  replay_id: z.uuid().nullable(),
  ...causeShape,
})

const factSchema = z.object({
  fact: z.string().meta({ example: 'payment.succeeded' }),
  object: z.object({ kind: z.string(), id: z.string() }),
  relates_to: z.array(z.object({ kind: z.string(), id: z.string() })),
  state: z.string().nullable(),
  currency: z.string().nullable(),
  amount_minor: minor.nullable(),
  received_minor: minor.nullable(),
  refunded_minor: minor.nullable(),
  order_id: z.string().nullable(),
  occurred_at: timeSchema,
})

export const eventSchema = z
  .object({
    ...summaryShape,
    attempts: z.array(attemptSchema),
    order_ids: z.array(z.string()),
    references: z.array(z.object({ kind: z.string(), value: z.string() })),
    facts: z.array(factSchema).meta({ description: 'What it says of payments, as it is read today' }),
    changes: z.array(changeSchema).meta({ description: 'What it changed of orders, and what was refused' }),
    messages: z.array(messageSchema).meta({ description: 'What receivers were told because of it' }),
    replays: z.array(eventReplaySchema).meta({ description: 'Who asked for it to be processed again, and what came of it' }),
  })
  .meta({ id: 'Event' })

export const eventListSchema = listSchema(eventSummarySchema).meta({ id: 'EventList' })

export type EventAnswer = z.infer<typeof eventSchema>
export type EventSummary = z.infer<typeof eventSummarySchema>
