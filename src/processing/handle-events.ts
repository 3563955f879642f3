import type { StoredEvent } from '../events/event.ts'
import type { SettledEvent } from '../events/settle-events.ts'
import type { HandledEvent, HandlerTransaction } from '../handlers.ts'
import type { Transaction } from '../platform/database.ts'
import type { Deps, EventJob } from './process-batch.ts'

type Handled = { events: StoredEvent[]; settled: SettledEvent[]; jobs: EventJob[] }

/** Hands each event to the shop's own code, after ours and in its transaction. */
export async function handleEvents(
  { handlers }: Pick<Deps, 'handlers'>,
  tx: Transaction,
  { events, settled, jobs }: Handled,
): Promise<void> {
  if (!handlers.onEvent) return
  const ends = new Map(settled.map((end) => [end.messageId, end]))
  const jobOf = new Map(jobs.map((job) => [job.data.message_id, job]))
  for (const event of events)
    await handlers.onEvent(forHandlers(tx), toHandledEvent(event, ends.get(event.messageId), jobOf.get(event.messageId)))
}

/** What a handler may do with our transaction: run statements. */
export function forHandlers(tx: Transaction): HandlerTransaction {
  const query = async (text: string, values: unknown[] = []) => {
    // Not prepared: nobody knows how many texts there are.
    const { rows, rowCount } = await tx.query({ text, values })
    return { rows, rowCount }
  }
  return { query } as HandlerTransaction
}

function toHandledEvent(event: StoredEvent, end: SettledEvent | undefined, job: EventJob | undefined): HandledEvent {
  return {
    message_id: event.messageId,
    event_id: event.eventId,
    provider: event.provider,
    type: event.type,
    status: end?.status ?? event.status,
    reason: end?.reason ?? null,
    account: event.account,
    livemode: event.livemode,
    occurred_at: event.occurredAt,
    payload: JSON.parse(event.bodies[0]?.toString('utf8') ?? 'null'),
    correlation_id: job?.data.correlation_id ?? '',
    replay_id: job?.data.replay_id ?? null,
  }
}
