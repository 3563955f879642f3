import { fileURLToPath } from 'node:url'
import type { Target } from '../target.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export const OPERATOR_TOKEN = 'bench-operator-token'.padEnd(40, '0')

const STORED_SQL = `
  select (select count(*) from sluice.webhook_events) as events,
         (select count(*) from sluice_queue.job where name = 'process-event') as jobs,
         (select count(*) from sluice.event_bodies) as bodies,
         (select coalesce(sum(octet_length(body)), 0) from sluice.event_bodies) as bytes`

/** The real gateway; `all` receives and works in one process, which is what `serve` does unless told otherwise. */
export function gatewayTarget(secret: string, role: 'all' | 'api' | 'worker' = 'all'): Target {
  return {
    name: 'gateway',
    title: role === 'all' ? 'Sluice: serve, its worker on' : `Sluice: serve --role ${role}`,
    script: MAIN,
    args: ['serve', '--role', role],
    env: {
      HOST: '127.0.0.1',
      LOG_FORMAT: 'json',
      STRIPE_WEBHOOK_SECRETS: `bench=${secret}`,
      OPERATOR_TOKENS: `bench=${OPERATOR_TOKEN}`,
    },
    storedSql: STORED_SQL,
  }
}
