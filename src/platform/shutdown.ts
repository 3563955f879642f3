import { describeError } from './describe-error.ts'
import type { Logger } from './logger.ts'

type Options = { logger: Logger; limitMs: number }

// Ctrl-C reaches us twice, from the terminal and from npm; only a later signal is somebody who will not wait.
const REPEAT_MS = 1000

/** The first SIGTERM or SIGINT stops in order and exits 0; one more a second later, or the limit, exits at once. */
export function stopOnSignals(stop: () => Promise<void>, { logger, limitMs }: Options): void {
  let stoppingSince: number | undefined

  async function onSignal(signal: NodeJS.Signals): Promise<void> {
    if (stoppingSince !== undefined && Date.now() - stoppingSince > REPEAT_MS) process.exit(1)
    if (stoppingSince !== undefined) return
    stoppingSince = Date.now()
    logger.info('shutdown.started', { signal })
    setTimeout(() => {
      logger.warn('shutdown.cut-short', { limit_ms: limitMs })
      process.exit(0)
    }, limitMs).unref()
    await stop().catch((error: unknown) => logger.error('shutdown.failed', { error: describeError(error) }))
    logger.info('shutdown.finished')
    process.exit(0)
  }

  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

/** Waits for the work, but no longer than that; what is late goes on without us. */
export async function within(limitMs: number, work: Promise<void>): Promise<void> {
  const { promise: limit, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, limitMs)
  await Promise.race([work, limit]).finally(() => clearTimeout(timer))
}
