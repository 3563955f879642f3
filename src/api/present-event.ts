import type { EventStory } from '../events/find-event.ts'

export function presentEvent({ event, attempts, references, history }: EventStory) {
  return {
    message_id: event.messageId,
    event_id: event.eventId,
    provider: event.provider,
    type: event.type,
    account: event.account,
    livemode: event.livemode,
    api_version: event.apiVersion,
    status: event.status,
    reason: event.reason,
    secret_name: event.secretName,
    occurred_at: event.occurredAt,
    received_at: event.receivedAt,
    processed_at: event.processedAt,
    duplicate_count: event.duplicateCount,
    last_duplicate_at: event.lastDuplicateAt,
    attempts: attempts.map(({ attempt, startedAt, finishedAt, outcome, error }) => ({
      attempt,
      started_at: startedAt,
      finished_at: finishedAt,
      outcome,
      error,
    })),
    correlation_id: event.correlationId,
    causation_id: event.causationId,
    job_id: event.messageId,
    order_ids: [
      ...new Set([
        ...history.map(({ orderId }) => orderId),
        ...references.filter(({ kind }) => kind === 'order').map(({ value }) => value),
      ]),
    ],
    references: references.map(({ kind, value }) => ({ kind, value })),
    replays: [],
  }
}

export type EventAnswer = ReturnType<typeof presentEvent>
