import { setTimeout as delay } from 'node:timers/promises'
import type { BenchDatabase } from './database.ts'

const LOOK_INTERVAL_MS = 250

/** Waits until the worker has done every job; false if it has not within the limit. */
export async function waitUntilApplied(database: BenchDatabase, limitMs: number): Promise<boolean> {
  for (const deadline = performance.now() + limitMs; performance.now() < deadline; await delay(LOOK_INTERVAL_MS)) {
    const [row] = await database.query<{ waits: boolean }>(
      `select exists (select from sluice.webhook_events where status = 'received') as waits`,
    )
    if (!row?.waits) return true
  }
  return false
}

export async function countWaiting(database: BenchDatabase): Promise<number> {
  const [row] = await database.query<{ count: string }>(`select count(*) from sluice.webhook_events where status = 'received'`)
  return Number(row?.count)
}
