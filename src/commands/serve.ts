import type { Config } from '../config.ts'
import { type Context, createContext, migrate } from '../context.ts'
import { type Gateway, startGateway } from '../gateway.ts'
import { startLocalMode, writeLocalFile } from '../local-mode.ts'
import { createLogger } from '../platform/logger.ts'
import { stopOnSignals } from '../platform/shutdown.ts'
import { printBanner } from './banner.ts'

// Supervisors send SIGKILL after ten seconds as a rule; what is left then is rolled back by the database.
const SHUTDOWN_LIMIT_MS = 9500

export async function serve(given: Config): Promise<void> {
  const logger = createLogger(given.log)
  const local = given.database.url ? undefined : await startLocalMode(given, (step) => logger.info('start.progressed', { step }))
  const config = local?.config ?? given
  let gateway: Gateway | undefined
  let context: Context
  const stop = async () => {
    try {
      await gateway?.stop()
    } finally {
      await local?.embedded.stop()
    }
  }
  stopOnSignals(stop, { logger, limitMs: SHUTDOWN_LIMIT_MS + config.http.shutdownDelayMs })

  try {
    if (local) await migrate(config)
    context = await createContext(config, { logger })
    warnOfBothModes(context)
    await warnUnlessDurable(context)
    gateway = await startGateway(context)
  } catch (error) {
    await local?.embedded.stop()
    throw error
  }
  const address = config.http.publicUrl ?? `http://localhost:${gateway.port}`
  logger.info('gateway.started', { role: config.role, port: gateway.port, pid: process.pid })
  if (local) {
    await writeLocalFile(config, 'address', `http://localhost:${gateway.port}`)
    const operatorAddress = config.http.publicUrl ?? `http://localhost:${gateway.operatorPort}`
    printBanner({ given, address, operatorAddress, signInPath: createSignInPath(context) })
  }
}

/** A link is worth as much as a token, so it is written to a terminal only and never to a log. */
function createSignInPath({ config, oneTimeLinks }: Context): string | undefined {
  const operator = config.tokens.find(({ role }) => role === 'operator')
  return process.stdout.isTTY && operator ? oneTimeLinks.create({ name: operator.name, role: operator.role }) : undefined
}

/** A 2xx promises that the event is on disk; with fsync off the database breaks that promise for us. */
async function warnUnlessDurable({ db, logger }: Context): Promise<void> {
  const { rows } = await db.pool.query<{ fsync: string }>('show fsync')
  if (rows[0]?.fsync === 'off')
    logger.warn('database.not-durable', { hint: 'fsync is off: events that were answered 2xx can be lost when the machine stops' })
}

function warnOfBothModes({ config: { production, role, stripe }, logger }: Context): void {
  if (production && role !== 'api' && stripe.livemode === undefined)
    logger.warn('mode.unset', { hint: 'STRIPE_LIVEMODE is not set: test events count as live ones do' })
}
