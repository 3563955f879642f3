import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findFreePort } from '../../test/helpers/free-port.ts'
import { telling } from '../../test/helpers/message-receiver.ts'
import { migrateForQuickRetries } from '../../test/helpers/serve-on-database.ts'
import { type ChaosPostgres, startChaosPostgres } from './postgres.ts'
import { type ChaosReceiver, startChaosReceiver } from './receiver.ts'
import { createService, type Service } from './service.ts'

/** Everything that takes part, each of which can be taken away. A worker is also a relay. */
export type Stage = {
  postgres: ChaosPostgres
  receiver: ChaosReceiver
  apis: Service[]
  workers: Service[]
  urls: string[]
  /** Ends every process; the data stays until `removeData`. */
  close(): Promise<void>
  removeData(): Promise<void>
}

const PROCESSES = [1, 2]

/** Brings up a database, two API and two worker processes and a receiver of order messages; data and logs lie in the folder. */
export async function startStage(folder: string, queueDepth: number): Promise<Stage> {
  await using undo = new AsyncDisposableStack()
  await mkdir(folder, { recursive: true })
  const postgres = await startChaosPostgres(join(folder, 'postgres'))
  undo.defer(() => postgres.stop())
  const receiver = undo.use(await startChaosReceiver())
  const env = environment(receiver, queueDepth)
  await migrateForQuickRetries({ databaseUrl: postgres.url, env })
  const create = (role: 'api' | 'worker', number: number, port: number) => {
    const name = `${role}-${number}`
    return createService({ name, role, port, databaseUrl: postgres.url, env, logFile: join(folder, `${name}.log`) })
  }
  const ports = await Promise.all(PROCESSES.map(findFreePort))
  const apis = ports.map((port, index) => create('api', index + 1, port))
  const workers = PROCESSES.map((number) => create('worker', number, 0))
  for (const service of [...apis, ...workers]) undo.defer(() => service.close())
  await Promise.all([...apis, ...workers].map((service) => service.start()))
  const started = undo.move()
  return {
    postgres,
    receiver,
    apis,
    workers,
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    close: () => started.disposeAsync(),
    removeData: () => postgres.destroy(),
  }
}

/** Retries and time-outs are short, so that a run sees many of them. */
function environment(receiver: ChaosReceiver, queueDepth: number): Record<string, string> {
  return {
    ...telling(receiver),
    ORDER_WEBHOOK_TIMEOUT_MS: '1000',
    COMMIT_TIMEOUT_MS: '1000',
    MAX_QUEUE_DEPTH: String(queueDepth),
    JOB_RETRY_LIMIT: '50',
    JOB_RETRY_DELAY_MAX_SECONDS: '4',
  }
}
