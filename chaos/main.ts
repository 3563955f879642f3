import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUpOnSignals, createCleanup } from '../bench/cleanup.ts'
import { createProgress } from '../bench/progress.ts'
import { parseOptions } from './options.ts'
import { formatOutcome } from './report.ts'
import { type ChaosPlan, runChaos } from './run-chaos.ts'
import { startStage } from './stage/stage.ts'

const { queueDepth, ...options } = parseOptions()
const plan: ChaosPlan = { ...options, holdMs: [300, 3000] }
const cleanup = createCleanup()
cleanUpOnSignals(cleanup)
const folder = await mkdtemp(join(tmpdir(), 'sluice-chaos-'))
let isKept = false
cleanup.add(async () => {
  if (!isKept) await rm(folder, { recursive: true, force: true })
})
const progress = createProgress(plan.deliveries)
cleanup.add(async () => progress.stop())
try {
  progress.note(`seed ${plan.seed}`)
  const starting = startStage(folder, queueDepth)
  cleanup.add(async () => {
    const stage = await starting
    await stage.close()
    if (!isKept) await stage.removeData()
  })
  const outcome = await runChaos(await starting, plan, progress)
  progress.stop()
  process.stdout.write(formatOutcome(plan, outcome))
  if (outcome.findings.length > 0) {
    isKept = true
    await writeFile(join(folder, 'findings.json'), `${JSON.stringify(outcome.findings, null, 2)}\n`)
  }
} catch (error) {
  // After a signal everything fails, and nobody needs to hear of it.
  if (process.exitCode === undefined) {
    isKept = true
    process.stderr.write(`\nThe run failed (--seed ${plan.seed}): ${error instanceof Error ? error.stack : error}\n`)
  }
} finally {
  await cleanup.run()
}
if (isKept) {
  process.exitCode = 1
  process.stderr.write(`Logs and findings are in ${folder}; the data: DATA_DIR=${folder}/postgres npm start\n`)
}
process.stdout.write('', () => process.exit())
