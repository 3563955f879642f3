import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { loadConfig } from '../../src/config.ts'
import { QUEUES } from '../../src/events/event-jobs.ts'
import { joining } from '../../src/platform/queue.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'

const { retryLimit } = loadConfig({ env: {} }).jobs
const text = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8')
const cells = (row: string) =>
  (text.split('\n').find((line) => line.startsWith(`| ${row} |`)) ?? '')
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim())
const delays = cells('after (s)').map((cell) => cell.split('–').map((seconds) => Number(seconds.replaceAll(',', ''))))
const documented = cells('before attempt').map((attempt, index) => {
  const [least = Number.NaN, most = least] = delays[index] ?? []
  return { attempt: Number(attempt) - 1, least, most }
})

// As `migrate` made its queue, by the default configuration; nobody works here.
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ role: 'api' })
})
afterAll(() => gateway.stop())

/** How long jobs wait after the attempt failed, in seconds. */
async function measureDelays(attempt: number, jobs: number): Promise<number[]> {
  const { queue, db } = gateway.context
  const ids = (await queue.insert(QUEUES.processEvent, Array(jobs).fill({ data: {} }), { returnId: true })) as string[]
  await db.pool.query(`update sluice_queue.job set state = 'active', started_on = now(), retry_count = $2 where id = any($1)`, [
    ids,
    attempt - 1,
  ])
  // In one transaction the clock stands still.
  return db.transaction(async (tx) => {
    await queue.fail(QUEUES.processEvent, ids, null, { db: joining(tx) })
    const { rows } = await tx.query<{ seconds: number }>(
      `select extract(epoch from start_after - now())::float8 as seconds from sluice_queue.job where id = any($1) and state = 'retry'`,
      [ids],
    )
    return rows.map(({ seconds }) => seconds)
  })
}

describe('the delays that docs/architecture.md states', () => {
  it('are those after each attempt but the last', () => {
    expect(documented.map(({ attempt }) => attempt)).toEqual(Array.from({ length: retryLimit }, (_, index) => index + 1))
  })

  it.each(documented)('hold after attempt $attempt', async ({ attempt, least, most }) => {
    const waits = await measureDelays(attempt, 200)

    expect(waits).toHaveLength(200)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(least)
    expect(Math.max(...waits)).toBeLessThanOrEqual(most)
    // At random between the two: of 200, one is in each half.
    expect(Math.max(...waits)).toBeGreaterThanOrEqual((least + most) / 2)
  })

  it('are followed by the dead-letter queue', async () => {
    expect(await measureDelays(retryLimit + 1, 1)).toEqual([])
    const { rows } = await gateway.context.db.pool.query(`select from sluice_queue.job where name = $1`, [QUEUES.deadEvents])
    expect(rows).toHaveLength(1)
  })
})
