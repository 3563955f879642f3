import { setTimeout as delay } from 'node:timers/promises'
import { shuffle } from '../test/helpers/random.ts'
import { waitUntil } from '../test/helpers/wait-until.ts'
import { FAULTS, type Fault, type Scene } from './faults.ts'

/** How often a fault was, and the longest time from its healing until a delivery was answered 2xx. */
export type FaultRecord = { name: string; times: number; longestMs: number }

export type FaultPlan = { faults: number; deliveries: number; holdMs: [number, number] }

const PROGRESS_LIMIT_MS = 300_000

/** One fault after the other, spread over the deliveries: each is held for a moment, healed, and has to be got over. */
export async function injectFaults(scene: Scene, plan: FaultPlan, onFault: (name: string) => void): Promise<FaultRecord[]> {
  const { load, stage, random } = scene
  const records = new Map(FAULTS.map(({ name }) => [name, { name, times: 0, longestMs: 0 }]))
  for (const [index, fault] of chooseFaults(plan.faults, random).entries()) {
    const begin = (index * plan.deliveries) / plan.faults
    await waitUntil('the load goes on', () => load.counts.deliveries >= begin, PROGRESS_LIMIT_MS)
    onFault(fault.name)
    const tookMs = await suffer(fault, scene, plan)
    const ended = [...stage.apis, ...stage.workers].filter((service) => service.hasEnded())
    if (ended.length > 0) throw new Error(`After "${fault.name}" ended by itself: ${ended.map(({ name }) => name).join(', ')}`)
    const record = records.get(fault.name) as FaultRecord
    record.times += 1
    record.longestMs = Math.max(record.longestMs, tookMs)
  }
  return [...records.values()]
}

async function suffer(fault: Fault, scene: Scene, { holdMs: [least, most] }: FaultPlan): Promise<number> {
  const heal = await fault.start(scene)
  await delay(least + scene.random() * (most - least))
  const startedAt = performance.now()
  await heal()
  await scene.load.untilAnswered()
  return performance.now() - startedAt
}

/** Every kind equally often: once as listed, then in an order of its own each time. */
function chooseFaults(count: number, random: () => number): Fault[] {
  const chosen = [...FAULTS]
  while (chosen.length < count) chosen.push(...shuffle(FAULTS, random))
  return chosen.slice(0, count)
}
