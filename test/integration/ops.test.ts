import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
const alerts = [...read('ops/alerts.yml').matchAll(/alert: (\w+)/g)].map(([, name]) => name as string)

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
})
