import { z } from 'zod'
import type { Context } from '../context.ts'
import { QUEUES } from '../events/event-jobs.ts'
import { measureQueue } from '../platform/measure-queue.ts'
import { defineOperation, type Operation } from './operation.ts'

const queueSchema = z
  .object({
    name: z.string(),
    ready: z.int().meta({ description: 'Jobs that wait for their first attempt' }),
    active: z.int(),
    retrying: z.int().meta({ description: 'Jobs that failed and wait for another attempt' }),
    dead: z.int().meta({ description: 'Jobs that failed every attempt' }),
    oldest_ready_seconds: z.number().nullable().meta({ description: 'How long the oldest job that is due has waited; null when none is' }),
  })
  .meta({ id: 'Queue' })

const queueListSchema = z
  .object({
    data: z.array(queueSchema),
    accepting: z.boolean().meta({ description: 'false while this process refuses deliveries with 503' }),
    max_depth: z.int(),
  })
  .meta({ id: 'QueueList' })

export function createQueueOperations({
  config,
  db,
  queueSchema: schema,
  backpressure,
}: Pick<Context, 'config' | 'db' | 'queueSchema' | 'backpressure'>): Operation[] {
  return [
    defineOperation(
      {
        method: 'get',
        path: '/api/queues',
        id: 'listQueues',
        summary: 'How much waits, and whether deliveries are accepted',
        roles: ['viewer', 'operator'],
        answers: { 200: { description: 'The queues', schema: queueListSchema } },
      },
      async () => {
        const measure = await measureQueue(db.pool, { schema, name: QUEUES.processEvent, deadLetter: QUEUES.deadEvents })
        const { oldestReadySeconds, ...counts } = measure
        const data = [{ name: QUEUES.processEvent, ...counts, oldest_ready_seconds: oldestReadySeconds }]
        return { status: 200, body: { data, accepting: backpressure.isAccepting(), max_depth: config.maxQueueDepth } }
      },
    ),
  ]
}
