import type { EventStory } from '../events/find-event.ts'
import type { WebhookEvent } from '../generated/prisma/client.ts'
import { presentTime } from '../platform/paging.ts'
import type { EventAnswer, EventSummary } from './event-schema.ts'

export function presentEventSummary(event: WebhookEvent): EventSummary {
  return {
    message_id: event.messageId,
    event_id: event.eventId,
    provider: event.provider,
    type: event.type,
    account: event.account,
    livemode: event.livemode,
    api_version: event.apiVersion,
    status: event.status as EventSummary['status'],
    reason: event.reason,
    occurred_at: presentTime(event.occurredAt),
    received_at: event.receivedAt.toISOString(),
    processed_at: presentTime(event.processedAt),
    duplicate_count: event.duplicateCount,
    last_duplicate_at: presentTime(event.lastDuplicateAt),
    secret_name: event.secretName,
    correlation_id: event.correlationId,
    causation_id: event.causationId,
    job_id: event.messageId,
  }
}

export function presentEvent({ event, attempts, references, history, replays }: EventStory): EventAnswer {
  const named = references.filter(({ kind }) => kind === 'order').map(({ value }) => value)
  return {
    ...presentEventSummary(event),
    attempts: attempts.map((attempt) => ({
      attempt: attempt.attempt,
      started_at: attempt.startedAt.toISOString(),
      finished_at: presentTime(attempt.finishedAt),
      outcome: attempt.outcome as EventAnswer['attempts'][number]['outcome'],
      error: attempt.error,
    })),
    order_ids: [...new Set([...history.map(({ orderId }) => orderId), ...named])],
    references: references.map(({ kind, value }) => ({ kind, value })),
    replays: replays.map(({ replay, status, queuedAt, finishedAt }) => ({
      replay_id: replay.replayId,
      kind: replay.kind as EventAnswer['replays'][number]['kind'],
      requested_by: replay.requestedBy,
      reason: replay.reason,
      status: status as EventAnswer['replays'][number]['status'],
      queued_at: queuedAt.toISOString(),
      finished_at: presentTime(finishedAt),
    })),
  }
}
