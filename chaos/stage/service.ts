import { appendFile } from 'node:fs/promises'
import type { Role } from '../../src/config.ts'
import { type GatewayProcess, waitForGateway } from '../../test/helpers/run-program.ts'
import { serveOnDatabase } from '../../test/helpers/serve-on-database.ts'

/** One process of the gateway, which is ended and started again. */
export type Service = {
  name: string
  start(): Promise<void>
  /** `kill -9` */
  kill(): Promise<void>
  /** SIGTERM, as a deploy does; fails unless it exits with 0. */
  stop(): Promise<void>
  /** Whether it ended although nobody asked. */
  hasEnded(): boolean
  /** Ends it, whatever state it is in. */
  close(): Promise<void>
}

export type ServiceOptions = { name: string; role: Role; port: number; databaseUrl: string; env: Record<string, string>; logFile: string }

export function createService({ name, role, port, databaseUrl, env, logFile }: ServiceOptions): Service {
  let running: GatewayProcess | undefined

  async function end(signal: NodeJS.Signals, expected: number | NodeJS.Signals): Promise<void> {
    const ending = running
    if (!ending) return
    running = undefined
    ending.signal(signal)
    const code = await ending.ended
    await appendFile(logFile, ending.output())
    if (code !== expected) throw new Error(`${name} ended with ${code} instead of ${expected}`)
  }

  return {
    name,
    async start() {
      running = await waitForGateway(serveOnDatabase({ databaseUrl, role, port, env }))
    },
    kill: () => end('SIGKILL', 'SIGKILL'),
    stop: () => end('SIGTERM', 0),
    hasEnded: () => running?.hasEnded() === true,
    async close() {
      await running?.[Symbol.asyncDispose]()
      if (running) await appendFile(logFile, running.output())
      running = undefined
    },
  }
}
