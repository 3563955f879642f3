import { describe, expect, it } from '@jest/globals'
import { readEnvelope } from '../../src/providers/stripe/read-envelope.ts'
import { catchRefusal } from '../helpers/catch-refusal.ts'

function read(text: string) {
  return readEnvelope(Buffer.from(text))
}

function refusal(text: string) {
  return catchRefusal(() => read(text))
}

describe('readEnvelope', () => {
  it('reads a snapshot event', () => {
    const envelope = read(
      '{"id":"evt_1","object":"event","type":"charge.refunded","account":"acct_1","livemode":true,"api_version":"2026-10-28.endive","created":1767225600}',
    )

    expect(envelope).toEqual({
      eventId: 'evt_1',
      type: 'charge.refunded',
      account: 'acct_1',
      livemode: true,
      apiVersion: '2026-10-28.endive',
      occurredAt: new Date('2026-01-01T00:00:00.000Z'),
    })
  })

  it('reads a thin event, whose account is its context and whose time is text', () => {
    const envelope = read(
      '{"id":"evt_2","object":"v2.core.event","type":"v1.billing.meter.error_report_triggered","context":"acct_2","livemode":false,"created":"2026-01-01T00:00:00.123Z"}',
    )

    expect(envelope).toEqual({
      eventId: 'evt_2',
      type: 'v1.billing.meter.error_report_triggered',
      account: 'acct_2',
      livemode: false,
      apiVersion: null,
      occurredAt: new Date('2026-01-01T00:00:00.123Z'),
    })
  })

  it('knows nothing else of an event that has only an id and a type', () => {
    const envelope = read('{"id":"evt_3","type":"foo.bar"}')

    expect(envelope).toEqual({ eventId: 'evt_3', type: 'foo.bar', account: null, livemode: null, apiVersion: null, occurredAt: null })
  })
})

describe('a body that is not an event', () => {
  it.each([
    ['it is empty', ''],
    ['it is white space', ' \n'],
    ['it is not JSON', 'hello'],
    ['it ends too early', '{"id":"evt_1","type":"a"'],
    ['something follows it', '{"id":"evt_1","type":"a"}{}'],
    ['it is form data', 'id=evt_1&type=a'],
    ['it is null', 'null'],
    ['it is an empty array', '[]'],
    ['it is an array of an event', '[{"id":"evt_1","type":"a"}]'],
    ['it is text', '"text"'],
    ['it is a number', '1'],
    ['it is true', 'true'],
    ['it is an empty object', '{}'],
    ['the id is missing', '{"type":"a"}'],
    ['the id is a number', '{"id":1,"type":"a"}'],
    ['the id is null', '{"id":null,"type":"a"}'],
    ['the id is an object', '{"id":{"id":"evt_1"},"type":"a"}'],
    ['the id is an array', '{"id":["evt_1"],"type":"a"}'],
    ['the id is empty', '{"id":"","type":"a"}'],
    ['the type is missing', '{"id":"evt_1"}'],
    ['the type is a number', '{"id":"evt_1","type":1}'],
    ['the type is empty', '{"id":"evt_1","type":""}'],
    ['id and type stand in the key __proto__', '{"__proto__":{"id":"evt_1","type":"a"}}'],
    ['the last of two ids is a number', '{"id":"evt_1","id":1,"type":"a"}'],
  ])('is refused with 400 payload_invalid when %s', (_, text) => {
    const error = refusal(text)

    expect([error.status, error.code]).toEqual([400, 'payload_invalid'])
  })

  it.each([
    ['256 characters', 'x'.repeat(256)],
    ['a NUL', 'evt_\\u0000'],
    ['a newline at its end', 'evt_1\\n'],
    ['an escape character', 'evt_\\u001b[2J'],
    ['a DEL', 'evt_\\u007f'],
    ['a C1 control character', 'evt_\\u009b'],
    ['a lone surrogate', 'evt_\\ud800'],
    ['a letter beyond ASCII', 'evt_é'],
    ['an emoji', 'evt_😀'],
  ])('is refused with 400 payload_invalid when the id or the type has %s', (_, text) => {
    const codes = [refusal(`{"id":"${text}","type":"a"}`).code, refusal(`{"id":"evt_1","type":"${text}"}`).code]

    expect(codes).toEqual(['payload_invalid', 'payload_invalid'])
  })

  it('is refused without an echo of it', () => {
    const error = refusal('{"id":1,"type":"sesame"}')

    expect(error.message).not.toContain('sesame')
    expect(error.diagnosis).toEqual({})
  })

  it('is refused with 400 payload_invalid when 300,000 brackets open and never close', () => {
    const error = refusal('['.repeat(300_000))

    expect(error.code).toBe('payload_invalid')
  })
})

describe('an odd event', () => {
  it('is read when the id and the type have 255 characters', () => {
    const envelope = read(JSON.stringify({ id: 'x'.repeat(255), type: 'y'.repeat(255) }))

    expect([envelope.eventId.length, envelope.type.length]).toEqual([255, 255])
  })

  it('has the last value when a key stands there twice, as JSON.parse has it', () => {
    const envelope = read('{"id":"evt_1","id":"evt_2","type":"a","type":"b"}')

    expect(envelope).toMatchObject({ eventId: 'evt_2', type: 'b' })
  })

  it('changes no prototype when it has the key __proto__', () => {
    const envelope = read('{"id":"evt_1","type":"a","__proto__":{"livemode":true,"account":"acct_1"}}')

    expect(envelope).toMatchObject({ livemode: null, account: null })
    expect('livemode' in {}).toBe(false)
  })

  it.each([
    ['arrays', 10_000, '[', ']'],
    ['arrays', 300_000, '[', ']'],
    ['objects', 10_000, '{"a":', '}'],
    ['objects', 300_000, '{"a":', '}'],
  ])('is read when it holds %s nested %i deep', (_, depth, open, close) => {
    const envelope = read(`{"id":"evt_1","type":"a","data":${open.repeat(depth)}1${close.repeat(depth)}}`)

    expect(envelope.eventId).toBe('evt_1')
  })

  it.each([
    ['0', '1970-01-01T00:00:00.000Z'],
    ['1.5', '1970-01-01T00:00:01.500Z'],
    ['253402300799', '9999-12-31T23:59:59.000Z'],
    ['"2026-01-01T01:00:00+01:00"', '2026-01-01T00:00:00.000Z'],
  ])('happened at the time that created gives when it is %s', (created, time) => {
    const envelope = read(`{"id":"evt_1","type":"a","created":${created}}`)

    expect(envelope.occurredAt?.toISOString()).toBe(time)
  })

  it.each([
    'null',
    '1e400',
    '-1e400',
    '-1',
    '1e15',
    '9007199254740993',
    '253402300800',
    'true',
    '{}',
    '[]',
    '""',
    '"yesterday"',
    '"1767225600"',
    '"1e400"',
    '"-000001-01-01T00:00:00Z"',
    '"+275760-09-13T00:00:00Z"',
  ])('has no time when created is %s', (created) => {
    const envelope = read(`{"id":"evt_1","type":"a","created":${created}}`)

    expect(envelope.occurredAt).toBeNull()
  })

  it.each(['"5"', '"2024"', '"May"', '"2026-01-01 10:00"'])('has no time when created is %s, which is not RFC 3339', (created) => {
    const envelope = read(`{"id":"evt_1","type":"a","created":${created}}`)

    expect(envelope.occurredAt).toBeNull()
  })

  it.each(['null', '""', '1', 'true', '{}', '["acct_1"]', '"acct_\\u0000"', '"acct_é"', `"${'x'.repeat(256)}"`])(
    'has no account when account and context are %s',
    (value) => {
      const envelope = read(`{"id":"evt_1","type":"a","account":${value},"context":${value}}`)

      expect(envelope.account).toBeNull()
    },
  )

  it('has the context as its account when the account is odd', () => {
    const envelope = read('{"id":"evt_1","type":"a","account":{},"context":"acct_2"}')

    expect(envelope.account).toBe('acct_2')
  })

  it('has the account when there is a context too', () => {
    const envelope = read('{"id":"evt_1","type":"a","account":"acct_1","context":"acct_2"}')

    expect(envelope.account).toBe('acct_1')
  })

  it.each(['"true"', '1', '{}', 'null'])('has no mode when livemode is %s', (livemode) => {
    const envelope = read(`{"id":"evt_1","type":"a","livemode":${livemode}}`)

    expect(envelope.livemode).toBeNull()
  })

  it.each(['1', '""', '{}', '"2026\\n"'])('has no version when api_version is %s', (version) => {
    const envelope = read(`{"id":"evt_1","type":"a","api_version":${version}}`)

    expect(envelope.apiVersion).toBeNull()
  })
})
