import { readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { FACT_RULES } from '../../src/providers/stripe/fact-rules.ts'

const docs = readFileSync(new URL('../../docs/order-status.md', import.meta.url), 'utf8')

describe('docs/order-status.md', () => {
  it('has a line for each Stripe type that has a meaning, as the code reads it, and for no other', () => {
    const lines = [...FACT_RULES].map(([type, { fact, effect }]) => `| \`${type}\` | \`${fact}\` | ${effect} |`)
    const table = docs.slice(docs.indexOf('| type | fact | effect |')).trim().split('\n').slice(2)

    expect(table).toEqual(lines)
  })
})
