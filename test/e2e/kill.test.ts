import { describe, expect, it } from '@jest/globals'
import { connectTo, expectExactlyOnce, waitUntilProcessed } from '../helpers/expect-exactly-once.ts'
import { findFreePort } from '../helpers/free-port.ts'
import { startPaymentLoad } from '../helpers/payment-load.ts'
import { seededRandom } from '../helpers/random.ts'
import { waitForGateway } from '../helpers/run-program.ts'
import { migrateForQuickRetries, type ServeOptions, serveOnDatabase } from '../helpers/serve-on-database.ts'
import { createTestDatabase } from '../helpers/test-database.ts'
import { waitUntil } from '../helpers/wait-until.ts'

const KILLS = 10
// Repeats a run that failed: KILL_SEED=… npm test -- test/e2e/kill
const SEED = Number(process.env.KILL_SEED ?? Date.now() % 2 ** 31)

describe('a gateway that is killed again and again under load', () => {
  it('loses nothing that it answered 2xx and does nothing twice', () => repeatable(loseNothing))
})

async function loseNothing(random: () => number): Promise<void> {
  const database = await createTestDatabase()
  try {
    const options = { databaseUrl: database.url, port: await findFreePort() }
    await migrateForQuickRetries(options)
    await using connection = await connectTo(database.url)
    const moments = Array.from({ length: KILLS }, () => 100 + random() * 800)
    const load = startPaymentLoad({ urls: [`http://127.0.0.1:${options.port}`], random })
    try {
      for (const moment of moments) await serveAndKill(options, moment)
      await using last = await waitForGateway(serveOnDatabase(options))
      await load.stop()
      // The heartbeat of a killed worker's jobs lapses after 10 s, a monitor pass of 5 s takes them back, then comes the retry delay.
      await waitUntilProcessed(connection)

      expect(last.hasEnded()).toBe(false)
      expect(load.answered.size).toBeGreaterThan(100)
      await expectExactlyOnce(connection, load)
    } finally {
      await load.stop()
    }
  } finally {
    await database.drop()
  }
}

async function serveAndKill(options: ServeOptions, afterMs: number): Promise<void> {
  await using program = serveOnDatabase(options)
  const gateway = await waitForGateway(program)
  const killAt = Date.now() + afterMs
  await waitUntil('it is time to kill', () => Date.now() >= killAt)
  gateway.signal('SIGKILL')
  expect(await gateway.ended).toBe('SIGKILL')
}

async function repeatable(test: (random: () => number) => Promise<void>): Promise<void> {
  try {
    await test(seededRandom(SEED))
  } catch (error) {
    throw new Error(`With KILL_SEED=${SEED}: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
}
