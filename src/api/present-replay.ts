import type { EventCounts } from '../events/count-events.ts'
import type { ReplayStory } from '../events/find-replay.ts'
import { presentTime } from './list.ts'
import type { ReplayAnswer } from './replay-schema.ts'

export function presentReplay({ replay, queued, done, failed, status, finishedAt }: ReplayStory): ReplayAnswer {
  return {
    replay_id: replay.replayId,
    kind: replay.kind as ReplayAnswer['kind'],
    status,
    filter: replay.filter === null ? null : presentFilter(replay.filter as Record<string, unknown>),
    matched: replay.matched,
    queued,
    done,
    failed,
    rate_per_second: replay.kind === 'filter' ? replay.ratePerSecond : null,
    requested_by: replay.requestedBy,
    reason: replay.reason,
    correlation_id: replay.correlationId,
    created_at: replay.createdAt.toISOString(),
    finished_at: presentTime(finishedAt),
  }
}

function presentFilter({ orderId, receivedFrom, receivedTo, ...rest }: Record<string, unknown>): Record<string, unknown> {
  const renamed = { ...rest, order_id: orderId, received_from: receivedFrom, received_to: receivedTo }
  return Object.fromEntries(Object.entries(renamed).filter(([, value]) => value !== undefined))
}

export function presentCounts({ matched, byType, byStatus }: EventCounts) {
  return { matched, by_type: byType, by_status: byStatus }
}
