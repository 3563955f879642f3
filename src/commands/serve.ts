import type { Config } from '../config.ts'
import { createContext, migrate } from '../context.ts'
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
  const stop = async () => {
    await gateway?.stop()
    await local?.embedded.stop()
  }
  stopOnSignals(stop, { logger, limitMs: SHUTDOWN_LIMIT_MS + config.http.shutdownDelayMs })

  try {
    if (local) await migrate(config)
    gateway = await startGateway(await createContext(config, { logger }))
  } catch (error) {
    await local?.embedded.stop()
    throw error
  }
  const address = config.http.publicUrl ?? `http://localhost:${gateway.port}`
  logger.info('gateway.started', { role: config.role, port: gateway.port, pid: process.pid })
  if (local) {
    await writeLocalFile(config, 'address', `http://localhost:${gateway.port}`)
    printBanner({ given, address })
  }
}
