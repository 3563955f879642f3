import { Router } from 'express'
import type { Context } from './context.ts'
import { describeError } from './platform/describe-error.ts'

export type Health = { router: Router; beginShutdown(): void; isShuttingDown(): boolean }

const CHECK_INTERVAL_MS = 1000

/** `/healthz` while the process lives; `/readyz` when it can commit. However often it is asked, it looks once a second. */
export function createHealth({ db, clock, logger }: Pick<Context, 'db' | 'clock' | 'logger'>): Health {
  let shuttingDown = false
  let checkedAt = Number.NEGATIVE_INFINITY
  let check: Promise<string[]> = Promise.resolve([])

  async function findReasons(): Promise<string[]> {
    try {
      const { rows } = await db.pool.query<{ read_only: boolean }>(`select current_setting('transaction_read_only')::bool as read_only`)
      return rows[0]?.read_only ? ['the database is read-only'] : []
    } catch (error) {
      // Anybody may ask; what the driver says names hosts and roles.
      logger.warn('database.unreachable', { error: describeError(error) })
      return ['the database cannot be reached']
    }
  }

  const router = Router()
  router.get('/healthz', (_request, response) => void response.json({ status: 'ok' }))
  router.get('/readyz', async (_request, response) => {
    if (clock().getTime() - checkedAt >= CHECK_INTERVAL_MS) {
      checkedAt = clock().getTime()
      check = findReasons()
    }
    const reasons = shuttingDown ? ['shutting down'] : await check
    response.status(reasons.length === 0 ? 200 : 503).json({ status: reasons.length === 0 ? 'ready' : 'unready', reasons })
  })

  return {
    router,
    beginShutdown: () => {
      shuttingDown = true
    },
    isShuttingDown: () => shuttingDown,
  }
}
