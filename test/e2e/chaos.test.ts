import { describe, expect, it } from '@jest/globals'
import { FAULTS } from '../../chaos/faults.ts'
import { formatOutcome } from '../../chaos/report.ts'
import { runChaos } from '../../chaos/run-chaos.ts'
import { startStage } from '../../chaos/stage/stage.ts'
import { createFolder } from '../helpers/run-program.ts'

// Repeats a run that failed: CHAOS_SEED=… npm test -- test/e2e/chaos
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 2 ** 30)
const PLAN = { seed: SEED, deliveries: 500, faults: FAULTS.length, connections: 8, perSecond: 150, holdMs: [50, 200] as [number, number] }
const QUEUE_DEPTH = 60
const SILENT = { begin: () => {}, advance: () => {}, note: () => {} }

describe('a gateway whose processes, database and receiver are killed, stopped and locked again and again under load', () => {
  it('loses nothing that it answered 2xx, does nothing twice and stores no forgery', async () => {
    await using folder = await createFolder()
    const stage = await startStage(folder.path, QUEUE_DEPTH)
    try {
      const outcome = await runChaos(stage, PLAN, SILENT)

      const { counts, faults, findings, messages, repeats } = outcome
      if (findings.length > 0) throw new Error(`CHAOS_SEED=${SEED}\n${formatOutcome(PLAN, outcome)}`)
      expect(faults.map(({ times }) => times)).toEqual(FAULTS.map(() => 1))
      expect(counts.deliveries).toBeGreaterThanOrEqual(PLAN.deliveries)
      // Each of these was really seen: shedding and its end, deliveries that had to be sent again, forgeries, messages that came again.
      for (const count of [counts.shed, counts.unanswered, counts.refused, messages, repeats]) expect(count).toBeGreaterThan(0)
    } finally {
      await stage.close()
      await stage.removeData()
    }
  })
})
