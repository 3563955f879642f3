import { seededRandom } from '../test/helpers/random.ts'
import { type FaultRecord, injectFaults } from './inject-faults.ts'
import { startLoad } from './load/load.ts'
import type { Counts } from './load/tally.ts'
import type { Stage } from './stage/stage.ts'
import { drain } from './verify/read-database.ts'
import { type Verified, verify } from './verify/verify.ts'

export type ChaosPlan = {
  seed: number
  /** At least so many; the load goes on until the last fault was got over. */
  deliveries: number
  faults: number
  connections: number
  perSecond: number
  holdMs: [number, number]
}

export type Watcher = { begin(step: string): void; advance(count: number): void; note(line: string): void }
export type Outcome = Verified & { counts: Counts; faults: FaultRecord[]; seconds: number }

const DRAIN_LIMIT_MS = 180_000

/** Sends, takes away and brings back; then waits until nothing waits any more, and judges what is left. */
export async function runChaos(stage: Stage, plan: ChaosPlan, watcher: Watcher): Promise<Outcome> {
  const startedAt = performance.now()
  const { seed, connections, perSecond, deliveries } = plan
  const load = startLoad({ urls: stage.urls, seed, random: seededRandom(seed), connections, perSecond, onDone: () => watcher.advance(1) })
  const faults = await suffer().finally(() => load.stop())
  watcher.note(`${load.counts.deliveries} deliveries; draining`)
  await drain(stage.postgres.url, DRAIN_LIMIT_MS)
  watcher.note('drained; verifying')
  const verified = await verify({ stage, load }, seed)
  return { ...verified, counts: load.counts, faults, seconds: (performance.now() - startedAt) / 1000 }

  async function suffer(): Promise<FaultRecord[]> {
    const scene = { stage, load, random: seededRandom(seed + 1) }
    const records = await injectFaults(scene, plan, (name) => {
      watcher.begin(name)
      watcher.note(`${load.counts.deliveries} deliveries: ${name}`)
    })
    while (load.counts.deliveries < deliveries) await load.untilAnswered()
    return records
  }
}
