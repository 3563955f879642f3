import { fileURLToPath } from 'node:url'
import type { Target } from '../target.ts'

const STORED_SQL = `
  select (select count(*) from sluice.webhook_events) as events,
         (select count(*) from sluice_queue.job where name = 'webhook') as jobs,
         (select count(reason) from sluice.webhook_events) as bodies,
         (select coalesce(sum(octet_length(reason)), 0) from sluice.webhook_events) as bytes`

/** Express and `constructEvent`, and nothing else. */
export function verifyOnlyTarget(secret: string): Target {
  return {
    name: 'verify-only',
    title: 'signature only, nothing stored',
    script: scriptOf('verify-only.ts'),
    args: [],
    env: { STRIPE_WEBHOOK_SECRET: secret },
  }
}

/** What most integrations do. */
export function oneByOneTarget(secret: string): Target {
  return {
    name: 'one-by-one',
    title: 'create, then send, one by one; no worker',
    script: scriptOf('one-by-one.ts'),
    args: [],
    env: { STRIPE_WEBHOOK_SECRET: secret },
    storedSql: STORED_SQL,
  }
}

function scriptOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}
