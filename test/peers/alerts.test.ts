import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from '@jest/globals'

const OPS = fileURLToPath(new URL('../../ops/', import.meta.url))

/** Prometheus' own tool evaluates the rules. */
function promtool(...args: string[]) {
  const { status, error, stdout, stderr } = spawnSync('promtool', args, { cwd: OPS, encoding: 'utf8' })
  if (error) throw new Error('promtool is not installed: it is in the package prometheus', { cause: error })
  return { status, output: stdout + stderr }
}

describe('the alerts', () => {
  it('are rules that Prometheus can read', () => {
    expect(promtool('check', 'rules', 'alerts.yml')).toMatchObject({ status: 0 })
  })

  it('fire when they should, and are quiet otherwise', () => {
    expect(promtool('test', 'rules', 'alerts.test.yml')).toMatchObject({ status: 0 })
  })
})
