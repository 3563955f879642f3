import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from './database.ts'
import { errorMessage, StartError, sqlState } from './errors.ts'
import type { Logger } from './logger.ts'

const RETRY_MS = 1000

/** A database that is still on its way up is waited for; one that refuses us is named at once. */
export async function awaitDatabase({ pool }: Pick<Database, 'pool'>, logger: Logger, limitMs: number): Promise<void> {
  for (const deadline = Date.now() + limitMs; ; ) {
    const error = await pool.query('select 1').then(
      () => undefined,
      (reason: unknown) => reason ?? new Error('no connection'),
    )
    if (error === undefined) return
    const problem = errorMessage(error) || String((error as NodeJS.ErrnoException).code)
    if (isRefusal(error) || Date.now() > deadline) {
      throw new StartError([`DATABASE_URL: the database cannot be used (${problem})`], { cause: error })
    }
    logger.warn('database.awaited', { error: problem })
    await delay(RETRY_MS)
  }
}

/** Wrong password, no such role or database: waiting changes nothing. "Starting up" (57P03) and no answer at all pass. */
function isRefusal(error: unknown): boolean {
  return /^(28|3D|42)/.test(sqlState(error) ?? '')
}
