import type { EventCounts } from '../events/count-events.ts'
import type { ReplayStory } from '../events/find-replay.ts'
import { presentTime } from '../platform/paging.ts'
import type { ReplayAnswer } from './replay-schema.ts'

export function presentReplay({ replay, queued, done, failed, status, finishedAt }: ReplayStory): ReplayAnswer {
  return {
    replay_id: replay.replayId,
    kind: replay.kind as ReplayAnswer['kind'],
    status,
    filter: replay.filter as ReplayAnswer['filter'],
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

export function presentCounts({ matched, byType, byStatus }: EventCounts) {
  return { matched, by_type: byType, by_status: byStatus }
}
