import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
const alerts = [...read('ops/alerts.yml').matchAll(/alert: (\w+)/g)].map(([, name]) => name as string)

const promtool = (...args: string[]) =>
  spawnSync('promtool', args, { cwd: fileURLToPath(new URL('../../ops/', import.meta.url)), encoding: 'utf8' })
const hasPromtool = promtool('--version').status === 0
if (!hasPromtool) process.stderr.write('SKIPPED, promtool is not installed (apt-get install prometheus): the alerts, evaluated\n')
const itWithPromtool = hasPromtool ? it : it.skip

describe('ops/', () => {
  let gateway: TestGateway
  let exposed: Set<string>
  beforeAll(async () => {
    const env = { ORDER_WEBHOOK_URLS: 'http://127.0.0.1:9/', ORDER_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 1).toString('base64')}` }
    gateway = await startTestGateway({ env })
    const text = await (await fetch(`${gateway.url}/metrics`)).text()
    exposed = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name as string))
  })
  afterAll(() => gateway.stop())

  it.each(['ops/alerts.yml', 'ops/dashboard.json'])('%s asks for metrics that there are', (file) => {
    const asked = [...read(file).matchAll(/\b(sluice_\w+|process_\w+_bytes)\b/g)].map(([, name]) =>
      (name as string).replace(/_(bucket|sum|count)$/, ''),
    )

    expect(asked.length).toBeGreaterThan(5)
    expect([...new Set(asked)].filter((name) => !exposed.has(name))).toEqual([])
  })

  it.each(alerts)('the alert %s has a part of the runbook, and a test', (name) => {
    expect(read('docs/runbook.md')).toContain(`\n## ${name}\n`)
    expect(read('ops/alerts.yml')).toContain(`docs/runbook.md#${name.toLowerCase()}`)
    expect(read('ops/alerts.test.yml')).toContain(`alertname: ${name}`)
  })

  itWithPromtool('the alerts fire when they should, and are quiet otherwise', () => {
    for (const args of [
      ['check', 'rules', 'alerts.yml'],
      ['test', 'rules', 'alerts.test.yml'],
    ]) {
      const { status, stdout, stderr } = promtool(...args)
      expect({ status, output: stdout + stderr }).toMatchObject({ status: 0 })
    }
  })
})
