import type { Queue } from './queue.ts'

/** What a queue did in one span of time, and how full it was at most. Times are seconds. */
export type QueuePoint = {
  at: Date
  created: number
  completed: number
  /** Jobs that failed every attempt. */
  failed: number
  ready: number
  active: number
  oldestReadySeconds: number | null
  /** From being due to being taken up, for 95 of 100 jobs. */
  waitSeconds: number | null
}

export type StatisticsSpan = { from: Date; to: Date; bucketSeconds: number }

/** From the snapshots that the supervising workers take every few seconds; the first first. Spans in which no worker ran are missing. */
export async function readQueueStatistics(queue: Queue, name: string, { from, to, bucketSeconds }: StatisticsSpan): Promise<QueuePoint[]> {
  const snapshots = await queue.getQueueStats(name, { from, to, bucketSeconds, aggregate: 'max', percentiles: [95] })
  return snapshots
    .map((snapshot) => ({
      at: snapshot.capturedOn,
      created: snapshot.createdDelta ?? 0,
      completed: snapshot.completedDelta ?? 0,
      failed: snapshot.failedDelta ?? 0,
      ready: snapshot.readyCount,
      active: snapshot.activeCount,
      oldestReadySeconds: snapshot.readyOldestSeconds,
      waitSeconds: snapshot.percentiles?.[0]?.waitSeconds ?? null,
    }))
    .sort((left, right) => left.at.getTime() - right.at.getTime())
}

export type RunningInstance = {
  role: string
  host: string
  pid: number
  startedAt: Date
  seenAt: Date
  isQuiet: boolean
  memoryBytes: number | null
  cpuCores: number | null
}

// pg-boss calls an instance quiet after three missed heartbeats.
const MISSED_HEARTBEATS = 3

/** Processes that did not say goodbye; one that is quiet was killed, or its machine is gone. */
export async function listInstances(queue: Queue, now: Date): Promise<RunningInstance[]> {
  const instances = await queue.getInstances()
  return instances
    .filter(({ stoppedOn }) => stoppedOn === null)
    .map(({ name, host, pid, startedOn, heartbeatOn, heartbeatSeconds, metrics }) => ({
      role: name ?? '',
      host,
      pid,
      startedAt: startedOn,
      seenAt: heartbeatOn,
      isQuiet: now.getTime() - heartbeatOn.getTime() > heartbeatSeconds * MISSED_HEARTBEATS * 1000,
      memoryBytes: metrics?.rss ?? null,
      cpuCores: metrics?.cpu ?? null,
    }))
}
