import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import Stripe from 'stripe'
import type { NamedSecret } from '../../src/config.ts'
import { DeliveryRefusedError } from '../../src/providers/provider.ts'
import { checkSignatureHeader } from '../../src/providers/stripe/check-signature-header.ts'
import { verifySignature } from '../../src/providers/stripe/verify-signature.ts'
import { catchRefusal } from '../helpers/catch-refusal.ts'
import { verifyByReference } from '../helpers/reference-verifier.ts'

const NOW_SECONDS = 1_767_225_600
const NOW = new Date(NOW_SECONDS * 1000)
const OLD: NamedSecret = { name: 'old', secret: 'whsec_old_0123456789' }
const NEW: NamedSecret = { name: 'new', secret: 'whsec_new_9876543210' }
const BODY = Buffer.from('{"id":"evt_1","type":"payment_intent.succeeded"}')
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

function hmac(secret: string, body: Uint8Array, seconds = NOW_SECONDS): string {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')
}

function headerOf(...signatures: string[]): string {
  return [`t=${NOW_SECONDS}`, ...signatures.map((signature) => `v1=${signature}`)].join(',')
}

/** The whole door: gate, then SDK. */
function verify(header: string, body: Buffer, secrets: NamedSecret[]): string {
  return verifySignature(checkSignatureHeader({ 'stripe-signature': header }, NOW), body, secrets)
}

function verifyBySdk(header: string, body: Buffer, secret: string): boolean {
  try {
    return Stripe.webhooks.signature?.verifyHeader(body, header, secret, 300, undefined, NOW.getTime()) === true
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false
    throw error
  }
}

describe('rotation of secrets', () => {
  it('names the old secret when only it signed', () => {
    const name = verify(headerOf(hmac(OLD.secret, BODY)), BODY, [NEW, OLD])

    expect(name).toBe('old')
  })

  it('names the new secret when only it signed', () => {
    const name = verify(headerOf(hmac(NEW.secret, BODY)), BODY, [OLD, NEW])

    expect(name).toBe('new')
  })

  it('names the first configured secret when both signed', () => {
    const name = verify(headerOf(hmac(OLD.secret, BODY), hmac(NEW.secret, BODY)), BODY, [NEW, OLD])

    expect(name).toBe('new')
  })

  it('accepts a good signature behind a bad one', () => {
    const name = verify(headerOf('0'.repeat(64), hmac(NEW.secret, BODY)), BODY, [NEW])

    expect(name).toBe('new')
  })

  it('accepts a good signature beside an empty one, at which the SDK alone throws', () => {
    const header = headerOf('', hmac(NEW.secret, BODY))

    expect(() => verifyBySdk(header, BODY, NEW.secret)).toThrow('secureCompare must receive two arguments')
    expect(verify(header, BODY, [NEW])).toBe('new')
  })

  it('answers 400 signature_mismatch when a retired secret signed', () => {
    const error = catchRefusal(() => verify(headerOf(hmac(OLD.secret, BODY)), BODY, [NEW]))

    expect([error.status, error.code]).toEqual([400, 'signature_mismatch'])
  })

  it.each([[[NEW, OLD]], [[]]])('answers 400 signature_mismatch when the empty key signed', (secrets) => {
    const error = catchRefusal(() => verify(headerOf(hmac('', BODY)), BODY, secrets))

    expect(error.code).toBe('signature_mismatch')
  })
})

describe('a refusal', () => {
  it('tells which secrets were tried by name, how far the clock is off, and a hint', () => {
    const header = `t=${NOW_SECONDS - 7},v1=${'0'.repeat(64)}`

    const error = catchRefusal(() => verify(header, BODY, [OLD, NEW]))

    expect(error.diagnosis).toEqual({ secretsTried: ['old', 'new'], clockOffsetSeconds: -7, hint: 'body changed or wrong secret' })
  })

  it('shows neither a secret nor the body nor the signature, however it is printed', () => {
    const signature = hmac('whsec_foreign', BODY)

    const error = catchRefusal(() => verify(headerOf(signature), BODY, [OLD, NEW]))

    const printed = inspect(error, { depth: Infinity, showHidden: true })
    for (const text of [OLD.secret, NEW.secret, 'evt_1', signature]) expect(printed).not.toContain(text)
  })
})

describe('a body changed on its way', () => {
  const signed = Buffer.from('{ "name": "Zoë 😀 漢字",\n  "url": "https:\\/\\/example.com" }')
  const header = headerOf(hmac(NEW.secret, signed))

  it('is accepted with odd spaces, escaped slashes and emoji when its bytes are those that were signed', () => {
    expect(verify(header, signed, [NEW])).toBe('new')
  })

  it.each([
    ['minified', JSON.stringify(JSON.parse(signed.toString()))],
    ['followed by a newline', `${signed}\n`],
    ['given CRLF line ends', signed.toString().replace('\n', '\r\n')],
    ['encoded as base64', signed.toString('base64')],
    ['emptied', ''],
    ['cut by a byte', signed.subarray(0, -1)],
    ['decomposed to other code points', signed.toString().normalize('NFD')],
    ['preceded by a byte-order mark', Buffer.concat([BYTE_ORDER_MARK, signed])],
  ])('answers 400 signature_mismatch when it was %s', (_, changed) => {
    const error = catchRefusal(() => verify(header, Buffer.from(changed as string), [NEW]))

    expect([error.status, error.code]).toEqual([400, 'signature_mismatch'])
  })

  it('does not verify as the same text without its byte-order mark, as it does for the SDK alone', () => {
    const marked = Buffer.concat([BYTE_ORDER_MARK, BODY])
    const header = headerOf(hmac(NEW.secret, BODY))

    expect(verifyBySdk(header, marked, NEW.secret)).toBe(true)
    expect(catchRefusal(() => verify(header, marked, [NEW])).diagnosis.hint).toBe('the body is not plain UTF-8, which Stripe sends')
  })

  it.each([
    ['0xFF', [0xff]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['a cut character', [0xe2, 0x82]],
  ])('does not verify as a body with U+FFFD when it has %s in its place, as it does for the SDK alone', (_, bytes) => {
    const changed = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')])
    const replaced = Buffer.from(changed.toString('utf8'))
    const header = headerOf(hmac(NEW.secret, replaced))

    expect(verify(header, replaced, [NEW])).toBe('new')
    expect(verifyBySdk(header, changed, NEW.secret)).toBe(true)
    expect(catchRefusal(() => verify(header, changed, [NEW])).code).toBe('signature_mismatch')
  })

  it.each([
    ['a byte-order mark', Buffer.concat([BYTE_ORDER_MARK, BODY])],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('answers 400 signature_mismatch when it was signed over bytes with %s', (_, body) => {
    const error = catchRefusal(() => verify(headerOf(hmac(NEW.secret, body)), body, [NEW]))

    expect([error.status, error.code]).toEqual([400, 'signature_mismatch'])
  })
})

// From here on: generated deliveries, most of them mutations of good ones.

const SECRETS = ['whsec_a', 'whsec_bb==', 'whsec_0123456789abcdef'].map((secret, index) => ({ name: `secret-${index + 1}`, secret }))

const plainBody = fc.oneof(
  fc.json().map((text) => Buffer.from(text)),
  fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
  fc.constantFrom('', '{}', '\uFFFD', 'a\uFEFF', '{"name":"Zoë 😀"}\r\n', '\0').map((text) => Buffer.from(text)),
)
const oddBody = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  plainBody.map((body) => Buffer.concat([BYTE_ORDER_MARK, body])),
  plainBody.map((body) => Buffer.concat([body, Buffer.from([0xff])])),
)
const anyBody = fc.oneof({ weight: 4, arbitrary: plainBody }, { weight: 1, arbitrary: oddBody })

const offset = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: -300, max: 300 }) },
  { weight: 1, arbitrary: fc.constantFrom(-3600, -302, -301, -300, 300, 301, 302, 3600) },
)

/** What the signer signed: the bytes as they are sent, the text an SDK makes of them, or something else. */
const signing = fc.record({
  signer: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...SECRETS) }, { weight: 1, arbitrary: fc.constant({ secret: '' }) }),
  over: fc.oneof(
    { weight: 6, arbitrary: fc.constant((body: Buffer) => body) },
    { weight: 1, arbitrary: fc.constant((body: Buffer) => Buffer.from(new TextDecoder().decode(body))) },
    { weight: 1, arbitrary: fc.constant((body: Buffer) => Buffer.concat([body, Buffer.from(' ')])) },
  ),
})

type Parts = { time: number; good: string }
type Mutation = (items: string[], parts: Parts) => string[]

const anywhere = (make: (parts: Parts) => string): fc.Arbitrary<Mutation> =>
  fc.nat({ max: 3 }).map((index) => (items, parts) => items.toSpliced(index, 0, make(parts)))
const inPlace = (make: (item: string) => string): fc.Arbitrary<Mutation> =>
  fc.nat({ max: 1 }).map((index) => (items) => items.map((item, at) => (at === index ? make(item) : item)))

const harmless = fc.oneof(
  fc.constant<Mutation>((items) => items),
  fc.constant<Mutation>((items) => items.toReversed()),
  anywhere(() => `v1=${'0'.repeat(64)}`),
  anywhere(({ good }) => `v0=${good}`),
  anywhere(() => ''),
  anywhere(() => ' '),
  anywhere(() => 'v1'),
  anywhere(() => 'v1='),
  anywhere(() => 'v1=abc'),
  anywhere(() => `v1=${'é'.repeat(64)}`),
  anywhere(({ good }) => `v1=${good.toUpperCase()}`),
  anywhere(({ good }) => `v1=${good}=`),
  anywhere(({ good }) => ` v1=${good}`),
  anywhere(({ time }) => ` t=${time}`),
  anywhere(({ time }) => `T=${time}`),
  fc.string().chain((text) => anywhere(() => text.replaceAll(',', ''))),
)
const harmful = fc.oneof(
  anywhere(({ time }) => `t=${time}`),
  anywhere(({ time }) => `t=${time + 1}`),
  anywhere(() => 't'),
  anywhere(() => 't='),
  inPlace((item) => ` ${item}`),
  inPlace((item) => `${item} `),
  inPlace((item) => `${item}abc`),
  inPlace((item) => item.replace('=', '=0')),
  inPlace((item) => item.replace('=', '')),
  inPlace(() => ''),
  fc.integer({ min: 14, max: 60 }).map<Mutation>((count) => (items) => [...items, ...Array<string>(count).fill('v1=')]),
  fc.constant<Mutation>((items) => [...items, 'x'.repeat(4096)]),
)
const mutations = fc.oneof(
  { weight: 3, arbitrary: fc.array(harmless, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.array(fc.oneof(harmless, harmful), { minLength: 1, maxLength: 3 }) },
)

const delivery = fc
  .record({ body: anyBody, offset, signing, mutations, active: fc.subarray(SECRETS, { minLength: 1 }) })
  .map(({ body, offset, signing: { signer, over }, mutations, active }) => {
    const time = NOW_SECONDS + offset
    const good = createHmac('sha256', signer.secret).update(`${time}.`).update(over(body)).digest('hex')
    const items = mutations.reduce((items, mutate) => mutate(items, { time, good }), [`t=${time}`, `v1=${good}`])
    return { body, header: items.join(','), secrets: active }
  })

/** The SDK throws at a malformed v1 beside a good one; then it has to judge the header without the malformed ones. */
function verifyByForgivenSdk(header: string, body: Buffer, secret: string): boolean {
  try {
    return verifyBySdk(header, body, secret)
  } catch {
    const items = header.split(',').filter((item) => !/^v1(=|$)/.test(item) || /^v1=[0-9a-f]{64}$/.test(item))
    return verifyBySdk(items.join(','), body, secret)
  }
}

function verifyOrRefuse(header: string, body: Buffer, secrets: NamedSecret[]): string | undefined {
  try {
    return verify(header, body, secrets)
  } catch (error) {
    if (error instanceof DeliveryRefusedError && error.status === 400) return undefined
    throw error
  }
}

describe('the door against its oracles', () => {
  it('accepts only what the SDK alone accepts with the same secret', () => {
    const count = { accepted: 0, refused: 0, refusedThoughSdkAccepts: 0 }

    fc.assert(
      fc.property(delivery, ({ header, body, secrets }) => {
        const name = verifyOrRefuse(header, body, secrets)
        const accepting = secrets.filter(({ secret }) => verifyByForgivenSdk(header, body, secret)).map((secret) => secret.name)
        if (name !== undefined) expect(accepting).toContain(name)
        count[name === undefined ? 'refused' : 'accepted'] += 1
        if (name === undefined && accepting.length > 0) count.refusedThoughSdkAccepts += 1
      }),
      { numRuns: 2000 },
    )

    expect(Math.min(count.accepted, count.refused)).toBeGreaterThan(300)
    expect(count.refusedThoughSdkAccepts).toBeGreaterThan(20)
  })

  it('accepts exactly what an independent check of the raw bytes accepts, and names the same secret', () => {
    const count = { accepted: 0, refused: 0 }

    fc.assert(
      fc.property(delivery, ({ header, body, secrets }) => {
        const expected = verifyByReference(header, body, secrets, NOW_SECONDS)
        expect(verifyOrRefuse(header, body, secrets)).toBe(expected)
        count[expected === undefined ? 'refused' : 'accepted'] += 1
      }),
      { numRuns: 2000 },
    )

    expect(Math.min(count.accepted, count.refused)).toBeGreaterThan(300)
  })

  it('accepts every plain UTF-8 body that the SDK signed in time, whatever else stands harmlessly in the header', () => {
    const inTime = fc.integer({ min: -300, max: 300 })

    fc.assert(
      fc.property(plainBody, inTime, fc.constantFrom(...SECRETS), fc.array(harmless, { maxLength: 3 }), (body, offset, signer, changes) => {
        const time = NOW_SECONDS + offset
        const signed = Stripe.webhooks.generateTestHeaderString({ payload: body.toString(), secret: signer.secret, timestamp: time })
        const parts = { time, good: signed.slice(-64) }
        const items = changes.reduce((items, mutate) => mutate(items, parts), signed.split(','))
        fc.pre(items.filter((item) => /^t(=|$)/.test(item)).length === 1)
        expect(verify(items.join(','), body, SECRETS)).toBe(signer.name)
      }),
      { numRuns: 1000 },
    )
  })

  it('accepts no body under the signature of another', () => {
    fc.assert(
      fc.property(anyBody, anyBody, (signed, sent) => {
        fc.pre(!signed.equals(sent))
        expect(verifyOrRefuse(headerOf(hmac(NEW.secret, signed)), sent, [NEW])).toBeUndefined()
      }),
      { numRuns: 1000 },
    )
  })
})
