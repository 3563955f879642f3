import type { Context } from '../context.ts'
import { gatherStatistics, type Statistics } from '../gather-statistics.ts'
import { defineOperation, type Operation } from './operation.ts'
import { type StatisticsAnswer, statisticsQuerySchema, statisticsSchema } from './statistics-schema.ts'

export function createStatisticsOperations(context: Context): Operation[] {
  return [
    defineOperation(
      {
        method: 'get',
        path: '/api/statistics',
        id: 'getStatistics',
        summary: 'How the gateway does now, and did over the last hour, day or week',
        roles: ['viewer', 'operator'],
        query: statisticsQuerySchema,
        answers: { 200: { description: 'The statistics', schema: statisticsSchema } },
      },
      async ({ query: { range } }) => ({ status: 200, body: presentStatistics(await gatherStatistics(context, range)) }),
    ),
  ]
}

function presentStatistics({ span, now, jobs, unsettled, instances }: Statistics): StatisticsAnswer {
  return {
    from: span.from.toISOString(),
    to: span.to.toISOString(),
    bucket_seconds: span.bucketSeconds,
    now: presentNow(now),
    jobs: jobs.map(({ at, oldestReadySeconds, waitSeconds, ...counts }) => ({
      at: at.toISOString(),
      ...counts,
      oldest_ready_seconds: oldestReadySeconds,
      wait_p95_seconds: waitSeconds,
    })),
    unsettled: unsettled.map(({ at, ...counts }) => ({ at: at.toISOString(), ...counts })),
    instances: instances.map(({ role, host, pid, startedAt, seenAt, isQuiet, memoryBytes, cpuCores }) => ({
      role,
      host,
      pid,
      started_at: startedAt.toISOString(),
      seen_at: seenAt.toISOString(),
      quiet: isQuiet,
      memory_bytes: memoryBytes,
      cpu_cores: cpuCores,
    })),
  }
}

function presentNow({ queue, outbox, parked, dead, isAccepting, maxDepth }: Statistics['now']): StatisticsAnswer['now'] {
  return {
    ready: queue.ready,
    active: queue.active,
    retrying: queue.retrying,
    oldest_ready_seconds: queue.oldestReadySeconds,
    parked_events: parked,
    dead_events: dead,
    messages_waiting: outbox.waiting,
    messages_dead: outbox.dead,
    oldest_message_seconds: outbox.oldestWaitingSeconds,
    accepting: isAccepting,
    max_depth: maxDepth,
  }
}
