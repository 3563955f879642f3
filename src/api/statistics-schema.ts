import { z } from 'zod'
import { STATISTICS_RANGES } from '../gather-statistics.ts'
import { timeSchema } from '../platform/paging.ts'

export const statisticsQuerySchema = z.strictObject({ range: z.enum(STATISTICS_RANGES).default('hour') })

const jobsSchema = z.object({
  at: timeSchema.meta({ description: 'When the span begins; one in which no worker ran is missing' }),
  created: z.int().meta({ description: 'Jobs made: one for each new event, and for each that is replayed' }),
  completed: z.int(),
  failed: z.int().meta({ description: 'Failed every attempt' }),
  ready: z.int().meta({ description: 'Jobs that waited, at most' }),
  active: z.int(),
  oldest_ready_seconds: z.number().nullable(),
  wait_p95_seconds: z.number().nullable().meta({ description: 'From being due to being taken up, for 95 of 100 jobs' }),
})

const unsettledSchema = z.object({ at: timeSchema, parked: z.int(), dead: z.int() })

const nowSchema = z.object({
  ready: z.int(),
  active: z.int(),
  retrying: z.int(),
  oldest_ready_seconds: z.number().nullable(),
  parked_events: z.int().meta({ description: 'Counted up to 10,000' }),
  dead_events: z.int().meta({ description: 'Counted up to 10,000' }),
  messages_waiting: z.int(),
  messages_dead: z.int(),
  oldest_message_seconds: z.number().nullable(),
  accepting: z.boolean().meta({ description: 'false while this process refuses deliveries with 503' }),
  max_depth: z.int(),
})

const instanceSchema = z.object({
  role: z.string(),
  host: z.string(),
  pid: z.int(),
  started_at: timeSchema,
  seen_at: timeSchema,
  quiet: z.boolean().meta({ description: 'It stopped telling that it lives, and did not say goodbye' }),
  memory_bytes: z.number().nullable(),
  cpu_cores: z.number().nullable(),
})

export const statisticsSchema = z
  .object({
    from: timeSchema,
    to: timeSchema,
    bucket_seconds: z.int(),
    now: nowSchema,
    jobs: z.array(jobsSchema).meta({ description: 'What became of the jobs that process events, by span' }),
    unsettled: z.array(unsettledSchema).meta({ description: 'Events that are parked or dead, by the span in which they arrived' }),
    instances: z.array(instanceSchema),
  })
  .meta({ id: 'Statistics' })

export type StatisticsAnswer = z.infer<typeof statisticsSchema>
