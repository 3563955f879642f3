import type { Context } from './context.ts'
import { countUnsettledByTime, countWithStatus, type UnsettledPoint } from './events/count-unsettled.ts'
import { QUEUES } from './events/event-jobs.ts'
import { measureOutbox, type OutboxMeasure } from './outbox/measure-outbox.ts'
import { measureQueue, type QueueMeasure } from './platform/measure-queue.ts'
import {
  listInstances,
  type QueuePoint,
  type RunningInstance,
  readQueueStatistics,
  type StatisticsSpan,
} from './platform/queue-statistics.ts'

export const STATISTICS_RANGES = ['hour', 'day', 'week'] as const
export type StatisticsRange = (typeof STATISTICS_RANGES)[number]

const HOUR_MS = 3_600_000
// 60 to 100 spans, which a chart of a window's width can show.
const RANGES = {
  hour: { ms: HOUR_MS, bucketSeconds: 60 },
  day: { ms: 24 * HOUR_MS, bucketSeconds: 900 },
  week: { ms: 7 * 24 * HOUR_MS, bucketSeconds: 7200 },
} as const satisfies Record<StatisticsRange, { ms: number; bucketSeconds: number }>

export type Statistics = {
  span: StatisticsSpan
  jobs: QueuePoint[]
  unsettled: UnsettledPoint[]
  now: { queue: QueueMeasure; outbox: OutboxMeasure; parked: number; dead: number; isAccepting: boolean; maxDepth: number }
  instances: RunningInstance[]
}

type Deps = Pick<Context, 'config' | 'db' | 'queue' | 'queueSchema' | 'backpressure' | 'clock'>

/** How the gateway does now and did of late: what the API tells and the console draws. */
export async function gatherStatistics(deps: Deps, range: StatisticsRange): Promise<Statistics> {
  const { db, queue, clock } = deps
  const span = findSpan(range, clock())
  const [jobs, unsettled, now, instances] = await Promise.all([
    readQueueStatistics(queue, QUEUES.processEvent, span),
    countUnsettledByTime(db, span),
    measureNow(deps),
    listInstances(queue, span.to),
  ])
  return { span, jobs, unsettled, now, instances }
}

/** Begins where a span begins, so that the first is whole. */
function findSpan(range: StatisticsRange, to: Date): StatisticsSpan {
  const { ms, bucketSeconds } = RANGES[range]
  const bucketMs = bucketSeconds * 1000
  return { from: new Date(Math.floor((to.getTime() - ms) / bucketMs) * bucketMs), to, bucketSeconds }
}

async function measureNow({ config, db, queueSchema: schema, backpressure }: Deps): Promise<Statistics['now']> {
  const [queue, outbox, parked, dead] = await Promise.all([
    measureQueue(db.pool, { schema, name: QUEUES.processEvent, deadLetter: QUEUES.deadEvents }),
    measureOutbox(db.pool, db.schema, config.orderWebhooks.urls),
    countWithStatus(db, 'parked'),
    countWithStatus(db, 'dead'),
  ])
  return { queue, outbox, parked, dead, isAccepting: backpressure.isAccepting(), maxDepth: config.maxQueueDepth }
}
