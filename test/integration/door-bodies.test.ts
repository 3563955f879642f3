import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openRaw, requestHead, sendRaw } from '../helpers/raw-http.ts'
import { signBytes } from '../helpers/sign-bytes.ts'
import { buildEvent, buildIntent, deliver, post, sign, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { countEvents, getPayload, isStored } from '../helpers/stored-event.ts'

const MIB = 1024 * 1024

describe('the body of a delivery', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ role: 'api' })
  })
  afterAll(() => gateway.stop())

  it('is stored to the byte when its spaces, key order and escapes are unusual', async () => {
    const id = uniqueId('evt')
    const body = `\n{ "type":"payment_intent.succeeded" ,\t"url": "https:\\/\\/shop.example\\/a",  "n": 1.50e1, "id" : "${id}",\r\n"data":{ } }  \n`

    const answer = await deliver(gateway.url, body)

    expect(answer.status).toBe(202)
    expect((await getPayload(gateway.url, id)).toString()).toBe(body)
  })

  it('is refused when it was minified under the signature of the original', async () => {
    const event = buildEvent()
    const original = JSON.stringify(event, null, 2)

    const answer = await post(gateway.url, JSON.stringify(event), { 'Stripe-Signature': sign(original) })

    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 'signature_mismatch' })
    expect(await isStored(gateway.url, event.id)).toBe(false)
  })

  it('is stored intact when the network splits it inside its characters', async () => {
    const event = buildEvent({ object: buildIntent({ description: '支払い 🧾 Zoë 👩‍👩‍👧' }) })
    const bytes = Buffer.from(JSON.stringify(event))
    const connection = await openRaw(gateway.url)

    connection.write(requestHead({ 'Stripe-Signature': signBytes(bytes), 'Content-Length': bytes.length }))
    for (const byte of bytes) {
      connection.write(Uint8Array.of(byte))
      if (byte > 127) await new Promise(setImmediate)
    }
    const answer = await connection.answer()
    connection.close()

    expect(answer.status).toBe(202)
    expect(await getPayload(gateway.url, event.id)).toEqual(bytes)
  })

  it.each([
    ['begins with a byte-order mark', (json: Buffer) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), json])],
    ['holds the byte 0xFF', (json: Buffer) => Buffer.concat([json.subarray(0, -1), Buffer.from(',"x":"\xff"}', 'latin1')])],
    ['ends within a character', (json: Buffer) => Buffer.concat([json, Buffer.from([0xe2, 0x82])])],
    ['holds a surrogate in UTF-8', (json: Buffer) => Buffer.concat([json.subarray(0, -1), Buffer.from(',"x":"\xed\xa0\x80"}', 'latin1')])],
    ['is UTF-16', (json: Buffer) => Buffer.from(`\ufeff${json.toString()}`, 'utf16le')],
  ])('is refused, or stored as it is, when it is signed and %s', async (_what, change) => {
    const event = buildEvent()
    const bytes = change(Buffer.from(JSON.stringify(event)))

    const answer = await post(gateway.url, bytes, { 'Stripe-Signature': signBytes(bytes) })

    expect([202, 400]).toContain(answer.status)
    expect(await isStored(gateway.url, event.id)).toBe(answer.status === 202)
    if (answer.status === 202) expect(await getPayload(gateway.url, event.id)).toEqual(bytes)
  })

  it.each([
    ['a byte-order mark before it', (json: string) => Buffer.from(`\ufeff${json}`), (json: string) => json],
    [
      '0xFF in place of a replacement character',
      (json: string) => Buffer.from(json.replace('MARK', '\xff'), 'latin1'),
      (json: string) => json.replace('MARK', '\ufffd'),
    ],
  ])('does not verify as another: %s', async (_what, toSent, toSigned) => {
    const event = buildEvent({ object: buildIntent({ description: 'MARK' }) })
    const json = JSON.stringify(event)

    const answer = await post(gateway.url, toSent(json), { 'Stripe-Signature': sign(toSigned(json)) })

    expect(answer.status).toBe(400)
    expect(await isStored(gateway.url, event.id)).toBe(false)
  })

  const json = JSON.stringify(buildEvent())
  it.each([
    ['gzip, compressed', 'gzip', gzipSync(json)],
    ['gzip, but is not compressed', 'gzip', Buffer.from(json)],
    ['deflate', 'deflate', Buffer.from(json)],
    ['br', 'br', Buffer.from(json)],
    ['an encoding nobody knows', 'x-secret-sauce', Buffer.from(json)],
    ['identity and gzip', 'identity, gzip', gzipSync(json)],
  ])('is answered 415 when its encoding is %s', async (_what, encoding, bytes) => {
    const before = await countEvents(gateway)

    const answer = await post(gateway.url, bytes, { 'Stripe-Signature': signBytes(bytes), 'Content-Encoding': encoding })

    expect(answer.status).toBe(415)
    expect(answer.body).toMatchObject({ code: 'encoding_unsupported' })
    expect(await countEvents(gateway)).toBe(before)
  })

  it('is answered 415 and not inflated when it is a bomb of 20 MB', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * MIB, ' '))
    const before = process.memoryUsage().arrayBuffers

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post(gateway.url, bomb, { 'Stripe-Signature': signBytes(bomb), 'Content-Encoding': 'gzip' })),
    )

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([415]))
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * MIB)
  })

  it('is accepted when its encoding is called identity', async () => {
    const body = JSON.stringify(buildEvent())

    const answer = await post(gateway.url, body, { 'Stripe-Signature': sign(body), 'Content-Encoding': 'Identity' })

    expect(answer.status).toBe(202)
  })

  it('is accepted when it is an invoice of 300 KB', async () => {
    const lines = Array.from({ length: 1000 }, (_, index) => ({ id: `il_${index}`, description: 'x'.repeat(280) }))
    const event = buildEvent({ type: 'invoice.paid', object: { id: uniqueId('in'), object: 'invoice', lines: { data: lines } } })
    const body = JSON.stringify(event)

    const answer = await deliver(gateway.url, body)

    expect(body.length).toBeGreaterThan(300 * 1024)
    expect(answer.status).toBe(202)
    expect((await getPayload(gateway.url, event.id)).toString()).toBe(body)
  })

  it('is accepted at the limit to the byte, and answered 413 one byte over it', async () => {
    const start = JSON.stringify(buildEvent())
    const atLimit = start + ' '.repeat(MIB - start.length)

    expect((await deliver(gateway.url, atLimit)).status).toBe(202)
    expect((await deliver(gateway.url, `${atLimit} `)).status).toBe(413)
  })

  it('is answered 413 unread when its length says 5 MB', async () => {
    const connection = await openRaw(gateway.url)

    connection.write(requestHead({ 'Stripe-Signature': signBytes(Buffer.alloc(0)), 'Content-Length': 5 * MIB }))
    connection.write(Buffer.alloc(1024, 'x'))
    const answer = await connection.answer()

    expect(answer.status).toBe(413)
    expect(answer.head).toMatch(/^Connection: close$/im)
    expect(JSON.parse(answer.body)).toMatchObject({ status: 413, code: 'body_too_large' })
    connection.close()
  })

  it('is answered 413 when it says no length and passes the limit, although it has not ended', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const connection = await openRaw(gateway.url)

    connection.write(requestHead({ 'Stripe-Signature': signBytes(Buffer.alloc(0)), 'Transfer-Encoding': 'chunked' }))
    for (let sent = 0; sent <= MIB; sent += 0x10000) connection.write(chunk)
    const answer = await connection.answer()

    expect(answer.status).toBe(413)
    connection.close()
  })

  it('is accepted when it comes in chunks without a length', async () => {
    const event = buildEvent()
    const body = JSON.stringify(event)
    const chunks = [body.slice(0, 40), body.slice(40)].map((text) => `${text.length.toString(16)}\r\n${text}\r\n`)

    const answer = await sendRaw(
      gateway.url,
      requestHead({ 'Stripe-Signature': sign(body), 'Transfer-Encoding': 'chunked' }),
      ...chunks,
      '0\r\n\r\n',
    )

    expect(answer.status).toBe(202)
    expect((await getPayload(gateway.url, event.id)).toString()).toBe(body)
  })

  it.each([
    ['is empty', requestHead({ 'Stripe-Signature': sign(''), 'Content-Length': 0 })],
    ['is missing', requestHead({ 'Stripe-Signature': sign('') })],
    ['has a length and chunks at once', requestHead({ 'Stripe-Signature': sign(''), 'Content-Length': 5, 'Transfer-Encoding': 'chunked' })],
    ['has a length that is no number', requestHead({ 'Stripe-Signature': sign(''), 'Content-Length': 'many' })],
    ['has a negative length', requestHead({ 'Stripe-Signature': sign(''), 'Content-Length': -1 })],
  ])('is answered 400 when it %s', async (_what, head) => {
    expect((await sendRaw(gateway.url, head)).status).toBe(400)
  })

  it('is not stored when the sender hangs up in the middle of it', async () => {
    const event = buildEvent()
    const body = JSON.stringify(event)
    const connection = await openRaw(gateway.url)

    connection.write(requestHead({ 'Stripe-Signature': sign(body), 'Content-Length': body.length }))
    connection.write(body.slice(0, -1))
    connection.socket.end()
    await connection.answer()

    expect(await isStored(gateway.url, event.id)).toBe(false)
    expect((await deliver(gateway.url, event)).status).toBe(202)
  })

  it.each([
    'text/plain',
    'application/json; charset=utf-16',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'no media type',
    '',
  ])('is accepted as it is when its content type is "%s"', async (contentType) => {
    const event = buildEvent({ object: buildIntent({ description: 'Zoë' }) })
    const body = JSON.stringify(event)

    const answer = await post(gateway.url, body, { 'Stripe-Signature': sign(body), 'Content-Type': contentType })

    expect(answer.status).toBe(202)
    expect((await getPayload(gateway.url, event.id)).toString()).toBe(body)
  })
})
