import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type ApiAnswer, callApi, type Json, waitForEvent } from '../helpers/api.ts'
import { holdLocks } from '../helpers/disturb-database.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { OPERATOR_TOKEN, SHOP_TOKEN, startTestGateway, type TestGateway, VIEWER_TOKEN } from '../helpers/start-test-gateway.ts'
import { waitUntil } from '../helpers/wait-until.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

const get = (path: string, options: Parameters<typeof callApi>[2] = {}) => callApi(gateway.url, path, options)
const put = (path: string, body: unknown, options: Parameters<typeof callApi>[2] = {}) =>
  get(path, { method: 'PUT', body: typeof body === 'string' ? body : JSON.stringify(body), ...options })

/** RFC 9457, with what we add; and nothing of how it came about. */
function expectProblem({ status, headers, body }: ApiAnswer, expected: { status: number; code?: string }): void {
  expect(status).toBe(expected.status)
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
  expect(Object.keys(body).sort()).toEqual(['code', 'correlation_id', 'detail', 'status', 'title', 'type'])
  expect(body).toMatchObject(expected)
  expect(body.correlation_id).toBe(headers.get('x-correlation-id'))
  expect(JSON.stringify(body)).not.toMatch(/\bat \/|\.ts:|node_modules|Error:|select |insert /)
}

describe('GET /api/events/{id}', () => {
  it('tells the whole story by either of its ids', async () => {
    const orderId = uniqueId('ord')
    const intent = buildIntent({ metadata: { order_id: orderId }, receipt_email: 'Jenny@Example.com', customer: 'cus_1' })
    const event = buildEvent({ object: intent, account: 'acct_1', created: 1_800_000_000 })
    const accepted = (await deliver(gateway.url, event)).body

    const story = await waitForEvent(gateway.url, event.id)

    expect((await get(`/api/events/${accepted.message_id}`)).body).toEqual(story)
    const { message_id, job_id, correlation_id } = accepted
    const known = { message_id, job_id, correlation_id, causation_id: null, event_id: event.id, provider: 'stripe', type: event.type }
    expect(story).toMatchObject({ ...known, account: 'acct_1', livemode: false, api_version: event.api_version, duplicate_count: 0 })
    expect(story).toMatchObject({ status: 'processed', reason: null, occurred_at: '2027-01-15T08:00:00.000Z', replays: [] })
    expect(story).toMatchObject({ order_ids: [orderId], last_duplicate_at: null, attempts: [{ attempt: 1, error: null }] })
    expect(story.references).toEqual([
      { kind: 'customer', value: 'cus_1' },
      { kind: 'email', value: 'jenny@example.com' },
      { kind: 'order', value: orderId },
      { kind: 'payment_intent', value: intent.id },
    ])
    expect(story.received_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it.each([
    ['a path in it', () => `evt/${uniqueId('a')}/../x`],
    ['signs of a query in it', () => `evt?a=${uniqueId('a')}&b#c`],
    ['percent signs and spaces in it', () => ` evt %00 %2F ${uniqueId('a')}`],
    ['the shape of a UUID', () => randomUUID()],
    ['255 characters', () => uniqueId('evt').padEnd(255, 'x')],
  ])('finds an event whose id has %s', async (_what, buildId) => {
    const event = buildEvent({ id: buildId() })
    expect((await deliver(gateway.url, event)).status).toBe(202)

    const answer = await get(`/api/events/${encodeURIComponent(event.id)}`)

    expect(answer).toMatchObject({ status: 200, body: { event_id: event.id } })
  })

  it.each(['', '/payload'])('answers 404 to an id that nobody has%s', async (suffix) => {
    for (const id of ['evt_unknown', randomUUID()])
      expectProblem(await get(`/api/events/${id}${suffix}`), { status: 404, code: 'event_not_found' })
  })
})

describe('GET /api/events/{id}/payload', () => {
  it('gives the bytes as received, as a file to save', async () => {
    const id = uniqueId('evt')
    const body = `{"id" : "${id}",\n\t"type":"foo.bar", "html": "<\\/script><script>alert(1)</script>", "name":"Zoë 🧾", "n":1.0e2 } `
    const { message_id: messageId } = (await deliver(gateway.url, body)).body

    const response = await fetch(`${gateway.url}/api/events/${id}/payload`, { headers: { Authorization: `Bearer ${VIEWER_TOKEN}` } })

    expect(Buffer.from(await response.arrayBuffer()).toString()).toBe(body)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${messageId}.json"`)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('cache-control')).toBe('no-store')
  })
})

describe('GET /api/jobs/{job_id}', () => {
  it('says pending while no worker runs, and done once one has run', async () => {
    const api = await startTestGateway({ role: 'api' })
    const event = buildEvent()
    const { job_id: jobId, message_id: messageId, correlation_id } = (await deliver(api.url, event)).body
    const pending = await callApi(api.url, `/api/jobs/${jobId}`)

    const worker = await startTestGateway({ role: 'worker', database: api.database })
    await waitForEvent(api.url, event.id)
    const done = await callApi(api.url, `/api/jobs/${jobId}`)
    await worker.stop()
    await api.stop()

    const same = { job_id: jobId, kind: 'process_event', error: null, correlation_id }
    expect(pending.body).toMatchObject({ ...same, status: 'pending', started_at: null, finished_at: null, attempt: 0, result: null })
    expect(done.body).toMatchObject({
      ...same,
      status: 'done',
      started_at: expect.any(String),
      finished_at: expect.any(String),
      attempt: 1,
    })
    expect(done.body.result).toMatchObject({ message_id: messageId, event_status: 'processed' })
  })

  it('goes on answering after the queue has deleted the job', async () => {
    const event = buildEvent()
    const { job_id: jobId } = (await deliver(gateway.url, event)).body
    await waitForEvent(gateway.url, event.id)

    await gateway.context.db.pool.query('delete from sluice_queue.job where id = $1', [jobId])

    expect((await get(`/api/jobs/${jobId}`)).body).toMatchObject({ job_id: jobId, status: 'done', attempt: 1 })
  })

  it('answers 404 to an id that nobody has', async () => {
    for (const id of [randomUUID(), 'no-uuid']) expectProblem(await get(`/api/jobs/${id}`), { status: 404, code: 'job_not_found' })
  })
})

describe('PUT /api/orders/{order_id}', () => {
  const registration = { currency: 'EUR', expected_minor: 5000 }

  it('answers 201 at first and 200 to the same again, from the shop or an operator', async () => {
    const path = `/api/orders/${uniqueId('ord')}`

    const answers = [await put(path, registration, { token: SHOP_TOKEN }), await put(path, registration)]

    expect(answers.map(({ status }) => status)).toEqual([201, 200])
    expect(answers[1]?.body).toMatchObject({ status: 'pending', ...registration, paid_minor: 0, flags: [], payments: [] })
    expect((await get(path, { token: SHOP_TOKEN })).body).toEqual(answers[1]?.body)
    expect((await get(path, { token: VIEWER_TOKEN })).body.history).toHaveLength(1)
  })

  it('answers 201 once when the same registration comes 20 times at once', async () => {
    const path = `/api/orders/${uniqueId('ord')}`

    const answers = await Promise.all(Array.from({ length: 20 }, () => put(path, registration)))

    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201])
    expect((await get(path)).body.history).toHaveLength(1)
  })

  it.each([
    ['amount', { expected_minor: 5001 }],
    ['currency', { currency: 'USD' }],
    ['account', { account: 'acct_1' }],
  ])('answers 409 and changes nothing when the %s contradicts', async (_what, change) => {
    const path = `/api/orders/${uniqueId('ord')}`
    const first = await put(path, registration)

    expectProblem(await put(path, { ...registration, ...change }), { status: 409, code: 'order_conflict' })

    expect((await get(path)).body).toEqual(first.body)
  })

  it('lets an operator replace it with a reason, which stands in the history', async () => {
    const path = `/api/orders/${uniqueId('ord')}`
    await put(path, registration)

    const answer = await put(path, { currency: 'EUR', expected_minor: 6000, replace: true, reason: 'the customer added a hat' })

    expect(answer).toMatchObject({ status: 200, body: { expected_minor: 6000 } })
    expect(answer.body.history).toHaveLength(2)
    expect(answer.body.history[1].note).toMatch(/olga.*the customer added a hat/)
  })

  it.each([
    ['a reason is missing', { replace: true }, OPERATOR_TOKEN, 400],
    ['the reason is blank', { replace: true, reason: '  ' }, OPERATOR_TOKEN, 400],
    ['the shop asks', { replace: true, reason: 'I like to' }, SHOP_TOKEN, 403],
    ['a viewer asks', { replace: true, reason: 'I like to' }, VIEWER_TOKEN, 403],
  ])('does not replace it when %s', async (_what, change, token, status) => {
    const path = `/api/orders/${uniqueId('ord')}`
    await put(path, registration)

    expectProblem(await put(path, { currency: 'EUR', expected_minor: 6000, ...change }, { token }), { status })

    expect((await get(path)).body.expected_minor).toBe(5000)
  })

  it.each([
    ['no JSON', '{"currency":'],
    ['null', 'null'],
    ['a list', '[]'],
    ['empty', ''],
    ['without an amount', { currency: 'EUR' }],
    ['an amount with a fraction', { currency: 'EUR', expected_minor: 50.5 }],
    ['a negative amount', { currency: 'EUR', expected_minor: -1 }],
    ['an amount in text', { currency: 'EUR', expected_minor: '5000' }],
    ['an amount beyond safe integers', '{"currency":"EUR","expected_minor":9007199254740993}'],
    ['a currency in lower case', { currency: 'eur', expected_minor: 5000 }],
    ['a field nobody knows', { ...registration, expected: 1 }],
    ['an account with NUL', { ...registration, account: 'acct_\0' }],
  ])('answers 400 when the body is %s', async (_what, body) => {
    const path = `/api/orders/${uniqueId('ord')}`

    expectProblem(await put(path, body, { headers: { 'Content-Type': 'application/json' } }), { status: 400 })

    expectProblem(await get(path), { status: 404, code: 'order_not_found' })
  })

  const nested = `${'['.repeat(15_000)}${']'.repeat(15_000)}`
  it.each([
    ['NUL', '{"a":"\\u0000"}'],
    ['NUL in a key', '{"a\\u0000":1}'],
    ['a lone surrogate', '{"a":"\\ud800"}'],
    ['a number beyond all numbers', '{"a":1e400}'],
    ['__proto__', '{"__proto__":{"a":1}}'],
    ['an array nested 15,000 deep', `{"a":${nested}}`],
  ])('answers 201 or a 4xx, never 5xx, when the metadata holds %s', async (_what, metadata) => {
    const path = `/api/orders/${uniqueId('ord')}`

    const { status } = await put(path, `{"currency":"EUR","expected_minor":5000,"metadata":${metadata}}`)

    expect([201, 400, 413, 422]).toContain(status)
    expect((await get(path)).status).toBe(status === 201 ? 200 : 404)
  })

  it('answers 413 when the body is over 64 KB, and 400 or 415 when it is not JSON by its type', async () => {
    const path = `/api/orders/${uniqueId('ord')}`

    expectProblem(await put(path, { ...registration, metadata: { a: 'x'.repeat(70_000) } }), { status: 413 })
    const asText = await put(path, registration, { headers: { 'Content-Type': 'text/plain' } })

    expect([400, 415]).toContain(asText.status)
  })
})

describe('a token', () => {
  it.each([
    ['is missing', ''],
    ['is empty', 'Bearer '],
    ['is wrong', 'Bearer wrong-token-wrong-token-wrong-token'],
    ['is of another scheme', `Basic ${btoa(`olga:${OPERATOR_TOKEN}`)}`],
    ['has a byte more', `Bearer ${OPERATOR_TOKEN}x`],
    ['is not ASCII', 'Bearer \xe9\xff'],
  ])('that %s is answered 401', async (_what, authorization) => {
    const answer = await get('/api/events/evt_1', { headers: { Authorization: authorization } })

    expectProblem(answer, { status: 401 })
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
    expect(JSON.stringify(answer.body)).not.toContain('wrong-token')
  })

  it.each([
    ['shop', SHOP_TOKEN, 'GET', '/api/events/evt_1'],
    ['shop', SHOP_TOKEN, 'GET', '/api/events/evt_1/payload'],
    ['shop', SHOP_TOKEN, 'GET', `/api/jobs/${randomUUID()}`],
    ['viewer', VIEWER_TOKEN, 'PUT', '/api/orders/ord_1'],
  ])('of a %s is answered 403 where its role is too low: %s %s %s', async (_role, token, method, path) => {
    const body = method === 'PUT' ? { body: JSON.stringify({ currency: 'EUR', expected_minor: 1 }) } : {}

    expectProblem(await get(path, { method, token, ...body }), { status: 403, code: 'role_insufficient' })
  })

  it('that is right is answered however many of its requests are under way at once', async () => {
    const { pool } = gateway.context.db
    const locks = await holdLocks(gateway.database, 'lock table sluice.webhook_events in access exclusive mode')
    let answered = 0
    const ask = () => get('/api/events/evt_unknown').finally(() => answered++)

    const asked = Promise.all(Array.from({ length: 100 }, ask))
    await waitUntil('all wait, or some need not', () => answered > 0 || pool.waitingCount >= 80)
    await locks.release()

    expect(new Set((await asked).map(({ status }) => status))).toEqual(new Set([404]))
  })

  it('that is wrong too often is answered 429 with Retry-After', async () => {
    const own = await startTestGateway({ role: 'api' })
    const attempts: ApiAnswer[] = []
    for (let count = 0; count < 40; count += 1)
      attempts.push(await callApi(own.url, '/api/events/evt_1', { token: `guess-${count}`.padEnd(32, 'x') }))
    await own.stop()

    expect(attempts[0]?.status).toBe(401)
    const last = attempts.at(-1) as ApiAnswer
    expectProblem(last, { status: 429 })
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('X-Correlation-Id', () => {
  it('is kept when it is one of ours to accept', async () => {
    for (const id of ['a', 'Req-1._x', 'x'.repeat(128)]) {
      const answer = await get('/api/events/evt_unknown', { headers: { 'X-Correlation-Id': id } })
      expectProblem(answer, { status: 404 })
      expect(answer.body.correlation_id).toBe(id)
    }
  })

  it('is replaced when it is anything else, or missing', async () => {
    for (const id of ['x'.repeat(129), 'a b', 'a,b', '<script>', 'ü'])
      expect((await get('/api/events/x', { headers: { 'X-Correlation-Id': id } })).headers.get('x-correlation-id')).toMatch(
        /^[0-9a-f-]{36}$/,
      )
    expect((await get('/api/nothing')).headers.get('x-correlation-id')).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('an odd path', () => {
  const ODD = [
    '%00',
    '%',
    '%ff',
    '%ed%a0%80',
    'a%00b',
    '..%2f..%2fetc',
    `${'x'.repeat(9000)}`,
    '%F0%9F%A7%BE',
    "'%20or%201=1--",
    '__proto__',
  ]
  it.each(ODD)('gets a 4xx, never a 5xx: %s', async (id) => {
    const answers = await Promise.all([
      get(`/api/events/${id}`),
      get(`/api/events/${id}/payload`),
      get(`/api/jobs/${id}`),
      get(`/api/orders/${id}`),
      get(`/api/${id}`),
      get(`/${id}`),
    ])

    for (const answer of answers) expectProblem(answer, { status: answer.status === 400 ? 400 : 404 })
  })

  it.each(['%00', '%0a', '%E2%80%A8', 'x'.repeat(256)])('names no order that can be registered: %s', async (id) => {
    expectProblem(await put(`/api/orders/${id}`, { currency: 'EUR', expected_minor: 1 }), { status: 400 })
  })

  it('is registered and found again when it names an order in any script', async () => {
    const orderId = `Заказ № ${uniqueId('7')} 🧾/ä?`

    expect((await put(`/api/orders/${encodeURIComponent(orderId)}`, { currency: 'EUR', expected_minor: 1 })).status).toBe(201)

    const { body }: { body: Json } = await get(`/api/orders/${encodeURIComponent(orderId)}`)
    expect(body.order_id).toBe(orderId)
  })
})
