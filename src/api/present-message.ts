import type { MessageStory } from '../outbox/list-messages.ts'
import { presentTime } from '../platform/paging.ts'
import type { MessageAnswer } from './message-schema.ts'

export function presentMessage({ message, dispatches }: MessageStory): MessageAnswer {
  return {
    message_id: message.messageId,
    order_id: message.orderId,
    sequence: message.sequence,
    type: message.type,
    correlation_id: message.correlationId,
    causation_id: message.causationId,
    created_at: message.createdAt.toISOString(),
    dispatches: dispatches.map(({ url, status, attempts, lastAttemptAt, lastError, expiresAt }) => ({
      // The rest of an address can hold a secret.
      receiver: new URL(url).host,
      status: status as MessageAnswer['dispatches'][number]['status'],
      attempts,
      last_attempt_at: presentTime(lastAttemptAt),
      last_error: lastError,
      expires_at: expiresAt.toISOString(),
    })),
  }
}
