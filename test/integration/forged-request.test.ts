import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { countStatements } from '../helpers/count-statements.ts'
import { signBytes } from '../helpers/sign-bytes.ts'
import { buildEvent, deliver, post, sign, uniqueId } from '../helpers/signed-webhook.ts'
import { SECRET, startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { countEvents } from '../helpers/stored-event.ts'
import { waitUntil } from '../helpers/wait-until.ts'

const FORGED_SIGNATURE = `v1=${'ab'.repeat(32)}`
const now = () => Math.floor(Date.now() / 1000)

type Forgery = { body?: Uint8Array | string; headers: (body: string) => Record<string, string> }

const FORGERIES: Record<string, Forgery> = {
  'without a signature': { headers: () => ({}) },
  'with a malformed signature': { headers: () => ({ 'Stripe-Signature': 't=now,v1=yes' }) },
  'with a signature of yesterday': { headers: (body) => ({ 'Stripe-Signature': sign(body, { timestamp: now() - 86_400 }) }) },
  'with a signature of tomorrow': { headers: (body) => ({ 'Stripe-Signature': sign(body, { timestamp: now() + 86_400 }) }) },
  'with a made-up signature': { headers: () => ({ 'Stripe-Signature': `t=${now()},${FORGED_SIGNATURE}` }) },
  'with the signature of another secret': { headers: (body) => ({ 'Stripe-Signature': sign(body, { secret: 'whsec_other' }) }) },
  'with the signature of another body': { headers: (body) => ({ 'Stripe-Signature': sign(`${body} `) }) },
  'too large': {
    body: 'x'.repeat(2 * 1024 * 1024),
    headers: () => ({ 'Stripe-Signature': `t=${now()},${FORGED_SIGNATURE}`, Connection: 'close' }),
  },
  compressed: {
    body: gzipSync('{}'),
    headers: () => ({ 'Stripe-Signature': signBytes(gzipSync('{}')), 'Content-Encoding': 'gzip' }),
  },
  'not in UTF-8': { body: Buffer.from([0xff, 0xfe]), headers: () => ({ 'Stripe-Signature': signBytes(Buffer.from([0xff, 0xfe])) }) },
}

describe('a forged request', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    // Without a worker, and without the look at the queue each second, only the door itself uses the pool.
    gateway = await startTestGateway({ role: 'api' })
    gateway.context.backpressure.stop()
  })
  afterAll(() => gateway.stop())

  it.each(Object.entries(FORGERIES))('%s gets a 4xx, stores nothing and asks nothing of the database', async (_what, { body, headers }) => {
    const json = JSON.stringify(buildEvent())
    const before = await countEvents(gateway)
    const statements = countStatements(gateway.context.db)

    const answers = await Promise.all([1, 2, 3].map(() => post(gateway.url, body ?? json, headers(json))))
    const countForged = statements.count()
    const genuine = await deliver(gateway.url, buildEvent())
    statements.stop()

    for (const { status } of answers) expect([400, 413, 415]).toContain(status)
    expect(countForged).toBe(0)
    expect(genuine.status).toBe(202)
    expect(statements.count()).toBeGreaterThan(0)
    expect(await countEvents(gateway)).toBe(before + 1)
  })
})

describe('the log under forged requests', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ role: 'api' })
  })
  afterAll(() => gateway.stop())

  it('holds neither the body, nor the header, nor the secret, nor the correct signature', async () => {
    const [inBody, inHeader] = [uniqueId('canary'), uniqueId('canary')]
    const body = JSON.stringify(buildEvent({ note: inBody, type: inBody }))
    const correct = sign(body)

    for (const header of ['', inHeader, `t=${now()},v1=${inHeader}`, `${correct}${inHeader}`, `t=1,${FORGED_SIGNATURE},v1=${inHeader}`])
      await post(gateway.url, body, { 'Stripe-Signature': header, 'X-Canary': inHeader, 'User-Agent': inHeader })
    const refused = await post(gateway.url, body, { 'Stripe-Signature': sign(`${body} `), 'Content-Encoding': inHeader })

    expect(gateway.logs.filter(({ level }) => level === 'warn')).toHaveLength(6)
    const written = JSON.stringify([gateway.logs, refused.body])
    for (const text of [inBody, inHeader, SECRET, correct.split('v1=')[1] ?? '', FORGED_SIGNATURE]) expect(written).not.toContain(text)
  })

  it('names an authentic body that is no event by its code only', async () => {
    const inBody = uniqueId('canary')

    const answer = await deliver(gateway.url, `{"id": "evt_1", "type": "${inBody}"`)

    expect(answer.status).toBe(400)
    const line = gateway.logs.find(({ fields }) => fields.correlation_id === answer.body.correlation_id)
    expect(line).toMatchObject({ event: 'delivery.refused', fields: { code: 'payload_invalid' } })
    expect(JSON.stringify([gateway.logs, answer.body])).not.toContain(inBody)
  })

  it('gets at most ten lines a second, and the number of the rest', async () => {
    const total = 200
    const before = gateway.logs.length
    const startedAt = Date.now()
    const send = () => post(gateway.url, '{}', { 'Stripe-Signature': `t=${now()},${FORGED_SIGNATURE}` })

    await Promise.all(Array.from({ length: total }, send))

    const seconds = Math.ceil((Date.now() - startedAt) / 1000)
    const count = (event: string) => gateway.logs.slice(before).filter((line) => line.event === event)
    const suppressed = () => count('refusals.suppressed').reduce((sum, { fields }) => sum + Number(fields.count), 0)
    await waitUntil('every refusal is a line or counted', () => count('signature.rejected').length + suppressed() === total, 5000)
    expect(count('signature.rejected').length).toBeLessThanOrEqual(10 * (seconds + 1))
  })
})
