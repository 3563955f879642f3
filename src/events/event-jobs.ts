import { v7 as uuidv7 } from 'uuid'
import { JOB_HEARTBEAT_SECONDS, JOB_RETENTION_SECONDS, type QueueDefinition } from '../platform/queue.ts'

export const QUEUES = {
  processEvent: 'process-event',
  deadEvents: 'dead-events',
  runReplay: 'run-replay',
  deadReplays: 'dead-replays',
} as const

/** Ids only: the event is read when the job runs. */
export type ProcessEventJob = {
  message_id: string
  correlation_id: string
  /** What made the job: its event, or the replay. Jobs from before it was kept have none. */
  causation_id?: string
  /** Processes the event although it has been: it has another body since, or a person asked. */
  again?: true
  /** The replay that asked for it. */
  replay_id?: string
}

/** One step of a replay of many events. */
export type RunReplayJob = { replay_id: string }

type Subject = { messageId: string; correlationId: string }

/** The first job of an event has the event's id. */
export function toProcessJob({ messageId, correlationId }: Subject) {
  return {
    id: messageId,
    data: { message_id: messageId, correlation_id: correlationId, causation_id: messageId } satisfies ProcessEventJob,
  }
}

export function toProcessAgainJob({ messageId, correlationId }: Subject) {
  return {
    id: uuidv7(),
    data: { message_id: messageId, correlation_id: correlationId, causation_id: messageId, again: true } satisfies ProcessEventJob,
  }
}

export function toReplayJob({ replayId, ...subject }: Subject & { replayId: string }) {
  const { id, data } = toProcessAgainJob(subject)
  return { id, data: { ...data, causation_id: replayId, replay_id: replayId } satisfies ProcessEventJob }
}

export type RetryPolicy = { retryLimit: number; retryDelaySeconds: number; retryDelayMaxSeconds: number }

/** By default 13 attempts over about 20 h; the delays between them: docs/architecture.md. */
export function eventQueues(retry: RetryPolicy): QueueDefinition[] {
  const options = {
    retryLimit: retry.retryLimit,
    retryDelay: retry.retryDelaySeconds,
    retryDelayMax: retry.retryDelayMaxSeconds,
    retryBackoff: true,
    expireInSeconds: 300,
    heartbeatSeconds: JOB_HEARTBEAT_SECONDS,
    retentionSeconds: JOB_RETENTION_SECONDS,
    deleteAfterSeconds: 86_400,
  }
  return [
    { name: QUEUES.processEvent, deadLetter: QUEUES.deadEvents, options },
    { name: QUEUES.runReplay, deadLetter: QUEUES.deadReplays, options },
  ]
}
