import { afterEach, describe, expect, it, jest } from '@jest/globals'
import fc from 'fast-check'
import { createLogger, escapeControls, type LogFields, type LoggerOptions } from '../../src/platform/logger.ts'

// winston writes where the console does.
const { _stdout: stdout } = globalThis.console as unknown as { _stdout: NodeJS.WriteStream }

/** The lines that one call writes. */
function linesOf(options: LoggerOptions, fields: LogFields, level: 'debug' | 'info' | 'warn' | 'error' = 'info'): string[] {
  const written: string[] = []
  const spy = jest.spyOn(stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  try {
    createLogger(options)[level]('event.recorded', fields)
  } finally {
    spy.mockRestore()
  }
  return written.join('').split('\n').slice(0, -1)
}

const pretty = (fields: LogFields) => linesOf({ level: 'info', format: 'pretty' }, fields)
const json = (fields: LogFields) => linesOf({ level: 'info', format: 'json' }, fields)

afterEach(() => {
  jest.restoreAllMocks()
})

describe('a pretty log line', () => {
  it('has the event and its fields', () => {
    const [line] = pretty({ event_id: 'evt_1', count: 3, amount: 2000n, absent: undefined, nothing: null })

    expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3}Z .*info.* event\.recorded event_id=evt_1 count=3 amount=2000 nothing=null$/)
  })

  it.each([
    ['a newline', 'a\nb', '"a\\u000ab"'],
    ['a carriage return', 'a\rb', '"a\\u000db"'],
    ['a tab', 'a\tb', '"a\\u0009b"'],
    ['a NUL', 'a\0b', '"a\\u0000b"'],
    ['an ANSI escape', '\u001b[2Ja', '"\\u001b[2Ja"'],
    ['a window title', '\u001b]0;a\u0007', '"\\u001b]0;a\\u0007"'],
    ['a one-byte CSI', '\u009b2Ja', '"\\u009b2Ja"'],
    ['a DEL', 'a\u007fb', '"a\\u007fb"'],
    ['a bidi override', 'a\u202eb', '"a\\u202eb"'],
    ['a bidi isolate', 'a\u2066b\u2069', '"a\\u2066b\\u2069"'],
    ['a line separator', 'a\u2028b\u2029', '"a\\u2028b\\u2029"'],
  ])('shows %s of a sender as text that no terminal obeys', (_, value, shown) => {
    const lines = pretty({ hint: value })

    expect(lines).toHaveLength(1)
    expect(lines[0]?.endsWith(` event.recorded hint=${shown}`)).toBe(true)
  })

  it('shows control characters inside an object or an error as text too', () => {
    const lines = pretty({ tried: ['a\u001b[2J', { key: '\u009b' }], error: new Error('first\nsecond \u001b[0m') })

    expect(lines).toHaveLength(1)
    expect(lines[0]?.split('event.recorded')[1]).not.toMatch(/[\p{Cc}]/u)
  })

  it('sets off a value with spaces by quotes', () => {
    const [line] = pretty({ hint: 'body changed or wrong secret', path: '/webhooks/stripe' })

    expect(line?.endsWith('hint="body changed or wrong secret" path=/webhooks/stripe')).toBe(true)
  })

  it('lets no value pretend to be two fields', () => {
    const [line] = pretty({ hint: 'a" admin="yes' })

    expect(line).not.toContain(' admin="yes"')
  })
})

describe('a JSON log line', () => {
  it('has time, level, event and the fields', () => {
    const [line] = json({ event_id: 'evt_1', absent: undefined })

    expect(JSON.parse(line ?? '')).toEqual({ time: expect.stringMatching(/Z$/), level: 'info', event: 'event.recorded', event_id: 'evt_1' })
  })

  it('has a bigint as text, at any depth', () => {
    const [line] = json({ amount: 9_007_199_254_740_993n, order: { paid: [1n] } })

    expect(JSON.parse(line ?? '')).toMatchObject({ amount: '9007199254740993', order: { paid: ['1'] } })
  })

  it('is one line that parses to what was logged, whatever text a sender wrote', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a\nb', '\u001b[2J', '\ud800', '\u2028', '"}')), (text) => {
        const lines = json({ hint: text })

        expect(lines).toHaveLength(1)
        expect(JSON.parse(lines[0] ?? '')).toMatchObject({ hint: text })
      }),
    )
  })
})

describe('the level', () => {
  it('silences what is below it', () => {
    const lines = (['debug', 'info', 'warn', 'error'] as const).flatMap((level) => linesOf({ level: 'warn', format: 'json' }, {}, level))

    expect(lines.map((line) => JSON.parse(line).level)).toEqual(['warn', 'error'])
  })
})

describe('escapeControls', () => {
  it('leaves printable text alone', () => {
    expect(escapeControls('Zoë 😀 漢字 "a" \\')).toBe('Zoë 😀 漢字 "a" \\')
  })

  it('leaves no control character and no bidi control in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeControls(text)).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
      }),
    )
  })
})
