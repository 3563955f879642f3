import type { Replay } from '../generated/prisma/client.ts'
import type { Database } from '../platform/database.ts'

export type ReplayStory = {
  replay: Replay
  queued: number
  done: number
  failed: number
  status: 'running' | 'canceled' | 'done'
  finishedAt: Date | null
}

/** How far a replay has come. It is done when all of it was queued and each of its events came to its end. */
export async function findReplay({ prisma, pool, schema }: Database, replayId: string): Promise<ReplayStory | null> {
  const replay = await prisma.replay.findUnique({ where: { replayId } })
  if (!replay) return null
  const { rows } = await pool.query<{ queued: number; done: number; failed: number; last: Date | null }>(
    `select count(*)::int as queued, count(*) filter (where status = 'done')::int as done,
       count(*) filter (where status = 'failed')::int as failed, max(finished_at) as last
     from ${schema}.event_replays where replay_id = $1`,
    [replayId],
  )
  const { queued = 0, done = 0, failed = 0, last = null } = rows[0] ?? {}
  const isDone = replay.status === 'queued' && done + failed === queued
  const status = replay.status === 'canceled' ? 'canceled' : isDone ? 'done' : 'running'
  return { replay, queued, done, failed, status, finishedAt: isDone ? (last ?? replay.createdAt) : replay.finishedAt }
}
