import { z } from 'zod'
import { timeSchema } from '../platform/paging.ts'

export const jobIdSchema = z.object({ job_id: z.string().min(1).max(255) })

export const jobSchema = z
  .object({
    job_id: z.uuid(),
    status: z.enum(['pending', 'running', 'done', 'failed']),
    kind: z.enum(['process_event', 'replay']),
    created_at: timeSchema,
    started_at: timeSchema.nullable(),
    finished_at: timeSchema.nullable(),
    attempt: z.int().meta({ description: '0 before the first' }),
    error: z.string().nullable(),
    result: z
      .object({
        message_id: z.uuid().nullable(),
        event_status: z.string().nullable(),
        reason: z.string().nullable(),
        replay_id: z.uuid().nullable(),
      })
      .nullable()
      .meta({ description: 'null until it has ended; of an event, of a replay, or of both' }),
    correlation_id: z.string(),
  })
  .meta({ id: 'Job' })

export type JobAnswer = z.infer<typeof jobSchema>
