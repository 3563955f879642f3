import { type EventStory, orderIdsOf } from '../events/find-event.ts'
import type { PaymentFact } from '../events/payment-fact.ts'
import type { OrderHistory, WebhookEvent } from '../generated/prisma/client.ts'
import type { OrderStatus } from '../orders/order.ts'
import type { MessageStory } from '../outbox/list-messages.ts'
import { presentTime } from '../platform/paging.ts'
import type { EventAnswer, EventSummary } from './event-schema.ts'
import { presentMessage } from './present-message.ts'

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

export type WholeStory = EventStory & { facts: PaymentFact[]; messages: MessageStory[] }

export function presentEvent({ event, attempts, references, history, replays, facts, messages }: WholeStory): EventAnswer {
  return {
    ...presentEventSummary(event),
    attempts: attempts.map((attempt) => ({
      attempt: attempt.attempt,
      started_at: attempt.startedAt.toISOString(),
      finished_at: presentTime(attempt.finishedAt),
      outcome: attempt.outcome as EventAnswer['attempts'][number]['outcome'],
      error: attempt.error,
    })),
    order_ids: orderIdsOf({ history, references }),
    references: references.map(({ kind, value }) => ({ kind, value })),
    facts: facts.map(presentFact),
    changes: history.map(presentChange),
    messages: messages.map(presentMessage),
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

function presentChange({
  orderId,
  at,
  from,
  to,
  fact,
  note,
  messageId,
  replayId,
  correlationId,
}: OrderHistory): EventAnswer['changes'][number] {
  return {
    order_id: orderId,
    at: at.toISOString(),
    from: from as OrderStatus,
    to: to as OrderStatus,
    fact,
    note,
    replay_id: replayId,
    correlation_id: correlationId,
    causation_id: replayId ?? messageId,
  }
}

function presentFact(fact: PaymentFact): EventAnswer['facts'][number] {
  return {
    fact: fact.name,
    object: fact.object,
    relates_to: fact.relatesTo,
    state: fact.state ?? null,
    currency: fact.currency ?? null,
    amount_minor: toNumber(fact.amountMinor),
    received_minor: toNumber(fact.receivedMinor),
    refunded_minor: toNumber(fact.refundedMinor),
    order_id: fact.orderId ?? null,
    occurred_at: fact.occurredAt.toISOString(),
  }
}

/** Every amount was read as a safe integer. */
function toNumber(minor: bigint | undefined): number | null {
  return minor === undefined ? null : Number(minor)
}
