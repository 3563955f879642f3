import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts'
import { isAlive } from '../../test/helpers/run-program.ts'
import { waitUntil } from '../../test/helpers/wait-until.ts'

export type ChaosPostgres = {
  url: string
  /** `kill -9` of the postmaster; its children end by themselves. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Leaves the data. */
  stop(): Promise<void>
  destroy(): Promise<void>
}

/** A PostgreSQL of our own with durable settings, which can be killed and comes up again at the same address. */
export async function startChaosPostgres(dataDir: string): Promise<ChaosPostgres> {
  let server: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir })
  const { url } = server
  return {
    url,
    async kill() {
      const pid = await findPostmaster(dataDir)
      process.kill(pid, 'SIGKILL')
      await waitUntil('the postmaster is gone', () => !isAlive(pid))
    },
    async start() {
      server = await startEmbeddedPostgres({ dataDir })
      if (server.url !== url) throw new Error('PostgreSQL came up at another address')
    },
    stop: () => server.stop(),
    destroy: () => server.destroy(),
  }
}

async function findPostmaster(dataDir: string): Promise<number> {
  const { home } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8')) as { home: string }
  return Number((await readFile(join(home, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0])
}
