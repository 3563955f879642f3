import { describe, expect, it } from '@jest/globals'
import { describeError } from '../../src/platform/describe-error.ts'
import { HttpError, UnavailableError } from '../../src/platform/errors.ts'
import type { Json } from '../helpers/api.ts'

const CANARY = 'canary@example.com'

/** What `act` throws, as the engine throws it. */
function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown')
}

describe('describeError', () => {
  it.each([
    ['an error that somebody wrote', new Error('the stock table is away'), 'Error: the stock table is away'],
    ['a class of ours', new UnavailableError('Send it again.'), 'UnavailableError: Send it again.'],
    ['another class of ours', new HttpError(404, 'not_found', 'No such order.'), 'HttpError: No such order.'],
    [
      'a system error',
      Object.assign(new Error('connect ECONNREFUSED ::1:1'), { code: 'ECONNREFUSED' }),
      'Error ECONNREFUSED: connect ECONNREFUSED ::1:1',
    ],
    ['an error without a message', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'AggregateError ECONNREFUSED'],
    ['a text', 'no stock', 'NoError: no stock'],
    ['a number', 7, 'NoError: something else was thrown'],
    ['an object', { email: CANARY }, 'NoError: something else was thrown'],
    ['nothing', undefined, 'NoError: something else was thrown'],
    ['a null', null, 'NoError: something else was thrown'],
    ['an object without a prototype', Object.create(null), 'NoError: something else was thrown'],
    ['a symbol', Symbol('canary'), 'NoError: something else was thrown'],
  ])('tells %s by its class, code and message', (_what, error, text) => {
    expect(describeError(error)).toBe(text)
  })

  it.each([
    ['a name that is no name', Object.assign(new Error('a'), { name: `Error\n${CANARY}` }), 'Error: a'],
    ['a name that is no text', Object.assign(new Error('a'), { name: { email: CANARY } }), 'Error: a'],
    ['a code that is no code', Object.assign(new Error('a'), { code: CANARY }), 'Error: a'],
    ['a message that is no text', Object.assign(new Error('a'), { message: { toString: () => 'b' } }), 'Error: b'],
  ])('is not led astray by %s', (_what, error, text) => {
    expect(describeError(error)).toBe(text)
  })

  it('keeps 500 characters on one line, without control characters', () => {
    const text = describeError(new Error(`a\n\u001b[2Jb\u202ec\0${' d'.repeat(1000)}`))

    expect(text).toMatch(/^Error: a \[2Jb c d d d/)
    expect(text).toHaveLength(500)
  })

  it.each([
    ['an e-mail address', `no customer ${CANARY}`],
    ['an e-mail address in JSON', `got {"email":"${CANARY}"}`],
    ['a client secret', 'cannot confirm pi_1_secret_canary now'],
    ['a signing secret', 'verified with whsec_canary'],
    ['an API key', 'Invalid API Key provided: sk_live_canary'],
    ['a connection string', 'no route to postgresql://sluice:canary@db:5432/shop'],
  ])('leaves %s out of a message that somebody wrote', (_what, message) => {
    expect(describeError(new Error(message))).toContain('[removed]')
    expect(describeError(new Error(message))).not.toContain('canary')
  })

  it('is done in no time with a message of ten megabytes', () => {
    expect(describeError(new Error('a_secret'.repeat(1_250_000)))).toHaveLength(500)
  })
})

describe('describeError of an error of the program', () => {
  const nothing = undefined as Json

  it('names the property that was missing, and the place', () => {
    const text = describeError(thrownBy(() => nothing.amount))

    expect(text).toMatch(/^TypeError: Cannot read properties of undefined \(reading 'amount'\) \(describe-error\.test\.ts:\d+\)$/)
  })

  it.each([
    ['JSON', () => JSON.parse(`{"email": canary`)],
    ['a number', () => BigInt('canary')],
    ['a property of a text', () => Object.defineProperty('canary', '0', { value: 1 })],
    ['a property on a text', () => Object.assign(Object.freeze({ canary: 1 }), { canary: 2 })],
    ['a key in a text', () => 'a' in ('canary' as Json)],
    ['a time zone', () => new Intl.DateTimeFormat('en', { timeZone: 'canary' })],
    ['a property of nothing whose name is a value', () => nothing['canary, of Canary Street']],
    ['an address', () => new URL('canary')],
    ['an argument', () => Buffer.from(1 as Json, 'canary' as Json)],
    [
      'a stack that looks like another',
      () => {
        throw new TypeError('a\n    at canary (/canary.js:1:1)')
      },
    ],
  ])('quotes nothing of %s', (_what, act) => {
    const text = describeError(thrownBy(act))

    expect(text).toMatch(/^\w+Error[ A-Z_]*: the program is at fault/)
    expect(text).not.toMatch(/canary/i)
  })
})
