import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { requestHead, sendRaw } from '../helpers/raw-http.ts'
import { type Answer, buildEvent, deliver, post, sign } from '../helpers/signed-webhook.ts'
import { SECRET, startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { countEvents, isStored } from '../helpers/stored-event.ts'

const NEW_SECRET = 'whsec_new_0123456789abcdef'
const RETIRED_SECRET = 'whsec_retired_0123456789abcdef'
const BAD = '0'.repeat(64)
const now = () => Math.floor(Date.now() / 1000)

describe('the signature of a delivery', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ role: 'api', env: { STRIPE_WEBHOOK_SECRETS: `old=${SECRET}, new=${NEW_SECRET}` } })
  })
  afterAll(() => gateway.stop())

  /** Sends an event under a header that is made of the good one's time and signature. */
  async function deliverUnder(toHeader: (t: string, v1: string) => string): Promise<Answer & { eventId: string }> {
    const event = buildEvent()
    const body = JSON.stringify(event)
    const [t = '', v1 = ''] = sign(body).split(',')
    return { eventId: event.id, ...(await post(gateway.url, body, { 'Stripe-Signature': toHeader(t, v1) })) }
  }

  it.each([
    ['a bad one stands before it', (t: string, v1: string) => `${t},v1=${BAD},${v1}`],
    ['an empty one stands beside it', (t: string, v1: string) => `${t},v1=,${v1}`],
    ['a malformed one stands beside it', (t: string, v1: string) => `${t},v1=zz,${v1},v1=${BAD}0`],
    ['one of another scheme stands beside it', (t: string, v1: string) => `${t},${v1},v0=${BAD}`],
    ['the time stands behind it', (t: string, v1: string) => `${v1},${t}`],
    ['fifteen bad ones stand before it', (t: string, v1: string) => `${t},${`v1=${BAD},`.repeat(15)}${v1}`],
  ])('counts when %s', async (_what, toHeader) => {
    const answer = await deliverUnder(toHeader)

    expect(answer.status).toBe(202)
    expect(await isStored(gateway.url, answer.eventId)).toBe(true)
  })

  it.each([
    ['has no time', (_t: string, v1: string) => v1],
    ['has two times', (t: string, v1: string) => `${t},${t},${v1}`],
    ['has a time that is no number', (_t: string, v1: string) => `t=abc,${v1}`],
    ['has an empty time', (_t: string, v1: string) => `t=,${v1}`],
    ['has a time with letters behind it', (t: string, v1: string) => `${t}abc,${v1}`],
    ['has a negative time', (_t: string, v1: string) => `t=-1,${v1}`],
    ['has a time beyond all numbers', (_t: string, v1: string) => `t=${'9'.repeat(400)},${v1}`],
    ['has only another scheme', (t: string, v1: string) => `${t},${v1.replace('v1', 'v0')}`],
    ['has an empty signature', (t: string) => `${t},v1=`],
    ['has a signature in upper case', (t: string, v1: string) => `${t},v1=${v1.slice(3).toUpperCase()}`],
    ['is one comma', () => ','],
    ['is no list', () => 'hello'],
    ['is 8 KB long', (t: string, v1: string) => `${t},${v1},${'x'.repeat(8192)}`],
    ['has 500 signatures', (t: string, v1: string) => `${t},${`v1=${BAD},`.repeat(499)}${v1}`],
  ])('is refused as malformed when the header %s', async (_what, toHeader) => {
    const answer = await deliverUnder(toHeader)

    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ status: 400, code: 'signature_malformed' })
    expect(await isStored(gateway.url, answer.eventId)).toBe(false)
  })

  it.each([
    ['a byte of latin-1', Buffer.from('Stripe-Signature: t=1\xff,v1=\xe9\r\n', 'latin1')],
    ['a NUL', Buffer.from('Stripe-Signature: t=1\0\r\n')],
    ['nothing but spaces', Buffer.from('Stripe-Signature:    \r\n')],
    ['two headers', Buffer.from(`Stripe-Signature: t=1\r\nStripe-Signature: v1=${BAD}\r\n`)],
    ['100 KB', Buffer.from(`Stripe-Signature: ${'x'.repeat(100 * 1024)}\r\n`)],
  ])('is refused with a 4xx when the header holds %s', async (_what, header) => {
    const head = requestHead({ 'Content-Length': 2 })

    const answer = await sendRaw(gateway.url, head.slice(0, -2), header, '\r\n{}')

    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
  })

  it('is refused as missing without the header', async () => {
    const before = await countEvents(gateway)

    const answer = await post(gateway.url, JSON.stringify(buildEvent()), {})

    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 'signature_missing', title: 'Bad Request', type: expect.any(String) })
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(answer.headers.get('x-correlation-id')).toBe(answer.body.correlation_id)
    expect(await countEvents(gateway)).toBe(before)
  })

  it.each([
    ['the old one', SECRET, 'old'],
    ['the new one', NEW_SECRET, 'new'],
  ])('counts while two secrets are active and it is made with %s', async (_what, secret, name) => {
    const event = buildEvent()

    expect((await deliver(gateway.url, event, { secret })).status).toBe(202)

    const { rows } = await gateway.context.db.pool.query('select secret_name from sluice.webhook_events where event_id = $1', [event.id])
    expect(rows).toEqual([{ secret_name: name }])
  })

  it.each([
    ['a retired secret', RETIRED_SECRET],
    ['an empty secret', ''],
    ['a prefix of the secret', SECRET.slice(0, -1)],
  ])('is refused when it is made with %s', async (_what, secret) => {
    const event = buildEvent()

    const answer = await deliver(gateway.url, event, { secret })

    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 'signature_mismatch' })
    expect(await isStored(gateway.url, event.id)).toBe(false)
  })

  it.each([
    ['301 s old', -301, 400],
    ['299 s old', -299, 202],
    ['299 s ahead', 299, 202],
    ['an hour ahead', 3600, 400],
    ['56 years old', -56 * 365 * 86_400, 400],
  ])('that is %s is judged by its age', async (_what, offsetSeconds, status) => {
    const event = buildEvent()

    const answer = await deliver(gateway.url, event, { timestamp: now() + offsetSeconds })

    expect(answer.status).toBe(status)
    if (status === 400) expect(answer.body).toMatchObject({ code: 'timestamp_out_of_tolerance' })
    expect(await isStored(gateway.url, event.id)).toBe(status === 202)
  })
})

describe('a delivery that a proxy changed', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ role: 'api', env: { STRIPE_WEBHOOK_SECRETS: `cli=${SECRET},live=${NEW_SECRET}` } })
  })
  afterAll(() => gateway.stop())

  it.each([
    ['base64 of it', (body: string) => Buffer.from(body).toString('base64')],
    ['CRLF line ends', (body: string) => body.replaceAll('\n', '\r\n')],
    ['a line end added', (body: string) => `${body}\n`],
    ['its last line end taken away', (body: string) => body.trimEnd()],
    ['escapes where characters were', (body: string) => body.replaceAll('ë', '\\u00eb')],
  ])('is refused, and the log says where to look, when it became %s', async (_what, change) => {
    const event = { ...buildEvent(), note: 'Zoë' }
    const body = `${JSON.stringify(event, null, 2)}\n`

    const answer = await post(gateway.url, change(body), { 'Stripe-Signature': sign(body, { timestamp: now() - 60 }) })

    expect(answer.status).toBe(400)
    expect(await isStored(gateway.url, event.id)).toBe(false)
    const line = gateway.logs.find(({ fields }) => fields.correlation_id === answer.headers.get('x-correlation-id'))
    expect(line).toMatchObject({ level: 'warn', event: 'signature.rejected' })
    expect(line?.fields).toMatchObject({ hint: 'body changed or wrong secret', secrets_tried: ['cli', 'live'] })
    expect(line?.fields.clock_offset_seconds).toBeGreaterThanOrEqual(-65)
    expect(line?.fields.clock_offset_seconds).toBeLessThanOrEqual(-60)
  })
})
