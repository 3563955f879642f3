import { z } from 'zod'
import { eventStatusSchema } from '../events/event-filter-schema.ts'
import { listSchema, timeSchema } from '../platform/paging.ts'

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

const eventSummarySchema = z.object(summaryShape).meta({ id: 'EventSummary' })

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

export const eventSchema = z
  .object({
    ...summaryShape,
    attempts: z.array(attemptSchema),
    order_ids: z.array(z.string()),
    references: z.array(z.object({ kind: z.string(), value: z.string() })),
    replays: z.array(eventReplaySchema).meta({ description: 'Who asked for it to be processed again, and what came of it' }),
  })
  .meta({ id: 'Event' })

export const eventListSchema = listSchema(eventSummarySchema).meta({ id: 'EventList' })

export type EventAnswer = z.infer<typeof eventSchema>
export type EventSummary = z.infer<typeof eventSummarySchema>
