import { z } from 'zod'
import { eventFilterShape } from '../events/event-filter-schema.ts'
import { timeSchema } from '../platform/paging.ts'
import { reasonSchema } from '../platform/text.ts'

const reasonField = reasonSchema.meta({ description: 'Stands in the audit', example: 'The order was wrong' })

export const replayIdSchema = z.object({ replay_id: z.uuid() })
export const replayRequestSchema = z.strictObject({ reason: reasonField }).meta({ id: 'ReplayRequest' })

// A rate that leaves the worker room for what arrives meanwhile.
const DEFAULT_RATE = 50

// In a body, a mode is a boolean and not a text as in an address.
const filterSchema = z.strictObject({ ...eventFilterShape, livemode: z.boolean().optional() }).meta({ id: 'ReplayFilter' })

export const bulkReplaySchema = z
  .strictObject({
    filter: filterSchema.meta({ description: 'As of GET /api/events; {} is every event' }),
    reason: reasonField,
    dry_run: z.boolean().meta({ description: 'Only count what would be replayed' }),
    rate_per_second: z.int().min(1).max(1000).default(DEFAULT_RATE).meta({ description: 'At most so many are queued a second' }),
  })
  .meta({ id: 'BulkReplay' })

export const redriveSchema = z
  .strictObject({
    queue: z.literal('process-event').optional().meta({ description: 'Whose dead jobs; there is one such queue' }),
    ids: z.array(z.uuid()).min(1).max(10_000).optional().meta({ description: 'Message ids of dead events; all of them without it' }),
    reason: reasonField,
    dry_run: z.boolean(),
  })
  .meta({ id: 'Redrive' })

export const countsSchema = z
  .object({ matched: z.int(), by_type: z.record(z.string(), z.int()), by_status: z.record(z.string(), z.int()) })
  .meta({ id: 'ReplayCounts' })

export const startedSchema = z
  .object({ replay_id: z.uuid(), job_id: z.uuid().meta({ description: 'To poll with GET /api/jobs/{job_id}' }) })
  .meta({ id: 'ReplayStarted' })

export const replaySchema = z
  .object({
    replay_id: z.uuid(),
    kind: z.enum(['event', 'filter', 'redrive']),
    status: z.enum(['running', 'done', 'canceled']),
    filter: z.record(z.string(), z.unknown()).nullable(),
    matched: z.int().meta({ description: 'How many it was for when it began' }),
    queued: z.int(),
    done: z.int(),
    failed: z.int().meta({ description: 'Failed every attempt' }),
    rate_per_second: z.int().nullable(),
    requested_by: z.string(),
    reason: z.string(),
    correlation_id: z.string(),
    created_at: timeSchema,
    finished_at: timeSchema.nullable(),
  })
  .meta({ id: 'Replay' })

export type ReplayAnswer = z.infer<typeof replaySchema>
