import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createApiRouter } from '../../src/api/create-api-router.ts'
import { type ApiAnswer, callApi, type Json, waitForEvent } from '../helpers/api.ts'
import { type ApiDocument, doctor, findDocumentErrors, listOperations, loadApiDocument } from '../helpers/api-document.ts'
import { beginOutage } from '../helpers/disturb-database.ts'
import { findFreePort } from '../helpers/free-port.ts'
import { listRoutes } from '../helpers/list-routes.ts'
import { telling } from '../helpers/message-receiver.ts'
import { buildEvent, buildIntent, sign, uniqueId } from '../helpers/signed-webhook.ts'
import { OPERATOR_TOKEN, SHOP_TOKEN, startTestGateway, type TestGateway, VIEWER_TOKEN } from '../helpers/start-test-gateway.ts'
import { waitUntil } from '../helpers/wait-until.ts'

const WRONG_TOKEN = 'wrong-token-wrong-token-wrong-token'

let gateway: TestGateway
let api: ApiDocument
const orderId = uniqueId('ord')
const intent = buildIntent({ metadata: { order_id: orderId }, customer: 'cus_1' })
const event = buildEvent({ object: intent })
const eventBody = JSON.stringify(event)
let redriveId: string
/** What the test has seen answered: `getEvent 404`. */
const seen = new Set<string>()

beforeAll(async () => {
  // Nobody takes order messages, so that there are dead ones.
  const receiver = { url: `http://127.0.0.1:${await findFreePort()}` }
  gateway = await startTestGateway({ env: { ...telling(receiver), ORDER_WEBHOOK_GIVE_UP_SECONDS: '1' } })
  api = await loadApiDocument(gateway.url)
})
afterAll(() => gateway.stop())

type Call = { path: string; method?: string; token?: string; headers?: Record<string, string>; body?: string }

async function call(operationId: string, { path, ...init }: Call): Promise<ApiAnswer> {
  const answer = await callApi(gateway.url, path, init)
  seen.add(`${operationId} ${answer.status}`)
  return answer
}

const get = (path: string, token = OPERATOR_TOKEN): Call => ({ path, token })
type PutOptions = { token?: string; path?: string; headers?: Record<string, string> }
const put = (body: unknown, { token = OPERATOR_TOKEN, path = `/api/orders/${orderId}`, headers = {} }: PutOptions = {}): Call => ({
  path,
  method: 'PUT',
  token,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const POSTED = new Set(['linkPayment', 'replayEvent', 'startReplay', 'cancelReplay', 'redriveDead', 'resendMessage'])
const send = (path: string, body: unknown, options: PutOptions = {}): Call => ({ ...put(body, { path, ...options }), method: 'POST' })
const cancelPath = () => `/api/replays/${randomUUID()}/cancel`
const linkPath = (paymentId: string) => `/api/payments/stripe/${paymentId}/link`
const link = (body: unknown, { path = linkPath(intent.id), ...options }: PutOptions = {}) => send(path, body, options)
const resendPath = (messageId: string) => `/api/messages/${messageId}/resend`
const resend = (body: unknown, path: string, options: PutOptions = {}) => send(path, body, options)
const delivery = (body: string, { path = '/webhooks/stripe', ...headers }: Record<string, string> = {}): Call => ({
  path,
  method: 'POST',
  headers: { 'Stripe-Signature': sign(body), ...headers },
  body,
})
const registration = { currency: 'USD', expected_minor: 2000, metadata: { size: 'L', count: 2, gift: true, note: null } }
const long = 'x'.repeat(256)
const stale = () => sign(eventBody, { timestamp: Math.floor(Date.now() / 1000) - 3600 })
const allFilters = 'provider=stripe&type=a.b&status=processed&order_id=a&reference=b&livemode=true&limit=200'
const times = (name: string) => `${name}_from=2026-01-01T00:00:00.000Z&${name}_to=2026-12-31T00:00:00Z`

describe('a good request is allowed by the document, and answered as it says:', () => {
  const good: [string, number, string, () => Call][] = [
    ['receiveWebhook', 202, 'an event', () => delivery(eventBody)],
    ['receiveWebhook', 200, 'the same event again', () => delivery(eventBody)],
    ['registerOrder', 201, 'an order', () => put(registration)],
    ['registerOrder', 200, 'the same order again', () => put(registration, { token: SHOP_TOKEN })],
    ['registerOrder', 200, 'a replacement', () => put({ ...registration, replace: true, reason: 'a hat' })],
    ['listEvents', 200, 'nothing said', () => get('/api/events', VIEWER_TOKEN)],
    ['listEvents', 200, 'every filter', () => get(`/api/events?${allFilters}&${times('received')}`)],
    ['getEvent', 200, 'an event', () => get(`/api/events/${event.id}`)],
    ['getEventPayload', 200, 'its bytes', () => get(`/api/events/${event.id}/payload`)],
    ['getJob', 200, 'a job', () => get(`/api/jobs/${jobId}`)],
    ['listOrders', 200, 'nothing said', () => get('/api/orders')],
    ['listOrders', 200, 'every filter', () => get(`/api/orders?status=paid&flag=overpaid&limit=1&${times('updated')}`)],
    ['getOrder', 200, 'an order', () => get(`/api/orders/${orderId}`, SHOP_TOKEN)],
    ['listPayments', 200, 'payments that no order claims', () => get('/api/payments?unmatched=true&limit=1')],
    ['linkPayment', 200, 'a payment to its order', () => link({ order_id: orderId, reason: 'a receipt' })],
    ['replayEvent', 202, 'an event', () => send(`/api/events/${event.id}/replay`, { reason: 'a doubt' })],
    ['startReplay', 200, 'a dry run', () => send('/api/replays', { filter: { livemode: false }, reason: 'a doubt', dry_run: true })],
    ['startReplay', 202, 'a filter', () => send('/api/replays', { filter: {}, reason: 'a doubt', dry_run: false, rate_per_second: 1 })],
    ['getReplay', 200, 'a replay', () => get(`/api/replays/${replayId}`)],
    ['cancelReplay', 200, 'a replay', () => send(`/api/replays/${replayId}/cancel`, { reason: 'a mistake' })],
    ['redriveDead', 200, 'a dry run', () => send('/api/dead/redrive', { reason: 'a doubt', dry_run: true })],
    ['redriveDead', 202, 'whatever is dead', () => send('/api/dead/redrive', { reason: 'a doubt', dry_run: false })],
    ['listAudit', 200, 'every filter', () => get('/api/audit?actor=olga&action=replay.started&limit=1')],
    ['listQueues', 200, 'the queues', () => get('/api/queues')],
    ['getStatistics', 200, 'a range', () => get('/api/statistics?range=day', VIEWER_TOKEN)],
    ['search', 200, 'any id', () => get(`/api/search?q=${intent.id}`, VIEWER_TOKEN)],
    ['listMessages', 200, 'nothing said', () => get('/api/messages', VIEWER_TOKEN)],
    ['listMessages', 200, 'every filter', () => get(`/api/messages?order_id=${orderId}&status=waiting&limit=1`)],
    ['resendMessage', 202, 'a dead message', () => resend({ reason: 'a mishap' }, resendPath(deadMessageId))],
  ]
  let jobId: string
  let replayId: string
  let deadMessageId: string

  async function findDeadMessage(): Promise<string> {
    const find = async () => (await callApi(gateway.url, `/api/messages?order_id=${orderId}&status=dead`)).body.data[0]
    return (await waitUntil('a message is dead', find)).message_id
  }

  it.each(good)('%s %i, %s', async (id, status, _what, toCall) => {
    if (id === 'resendMessage') deadMessageId = await findDeadMessage()
    const { method = 'GET', headers = {}, ...request } = toCall()

    const answer = await call(id, { method, headers, ...request })
    if (id === 'redriveDead' && status === 202) redriveId = answer.body.replay_id
    if (id === 'startReplay' && status === 202) replayId = answer.body.replay_id
    if (id === 'receiveWebhook' && status === 202) jobId = (await waitForEvent(gateway.url, event.id)).job_id

    const body = request.body && JSON.parse(request.body)
    expect(api.findRequestErrors(id, { method, path: request.path, headers, body })).toEqual([])
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status })
    api.expectDocumented(id, answer)
  })
})

describe('a bad request is answered as the document says:', () => {
  const unsigned = { 'Stripe-Signature': '' }
  const bad: [string, number, string, () => Call][] = [
    ['receiveWebhook', 400, 'no signature', () => delivery(eventBody, unsigned)],
    ['receiveWebhook', 400, 'an odd signature', () => delivery(eventBody, { 'Stripe-Signature': 'abc' })],
    ['receiveWebhook', 400, 'a wrong signature', () => delivery(eventBody, { 'Stripe-Signature': sign('{}') })],
    ['receiveWebhook', 400, 'an old signature', () => delivery(eventBody, { 'Stripe-Signature': stale() })],
    ['receiveWebhook', 400, 'no JSON', () => delivery('no JSON')],
    ['receiveWebhook', 404, 'an unknown provider', () => delivery(eventBody, { path: '/webhooks/unknown' })],
    ['receiveWebhook', 405, 'another method', () => ({ ...delivery(eventBody), method: 'PUT' })],
    ['receiveWebhook', 413, 'a body too large', () => delivery('x'.repeat(1_048_577))],
    ['receiveWebhook', 415, 'a compressed body', () => delivery(eventBody, { 'Content-Encoding': 'gzip' })],
    ['listEvents', 400, 'a limit too high', () => get('/api/events?limit=201')],
    ['listEvents', 400, 'a bad cursor', () => get('/api/events?cursor=abc')],
    ['getEvent', 404, 'an unknown id', () => get(`/api/events/${randomUUID()}`)],
    ['getEvent', 400, 'an id too long', () => get(`/api/events/${long}`)],
    ['getEvent', 400, 'a path that is no UTF-8', () => get('/api/events/%ff')],
    ['getEventPayload', 404, 'an unknown id', () => get('/api/events/unknown/payload')],
    ['getEventPayload', 400, 'an id too long', () => get(`/api/events/${long}/payload`)],
    ['getJob', 404, 'an unknown id', () => get(`/api/jobs/${randomUUID()}`)],
    ['getJob', 400, 'an id too long', () => get(`/api/jobs/${long}`)],
    ['listOrders', 400, 'an unknown status', () => get('/api/orders?status=lost')],
    ['listOrders', 400, 'a bad cursor', () => get('/api/orders?cursor=abc')],
    ['listPayments', 400, 'no filter', () => get('/api/payments')],
    ['listPayments', 400, 'a bad cursor', () => get('/api/payments?unmatched=true&cursor=abc')],
    ['linkPayment', 400, 'no reason', () => link({ order_id: orderId })],
    ['linkPayment', 404, 'an unknown payment', () => link({ order_id: orderId, reason: 'a' }, { path: linkPath('pi_unknown') })],
    ['linkPayment', 413, 'a body too large', () => link({ order_id: orderId, reason: 'x'.repeat(70_000) })],
    ['linkPayment', 415, 'an unknown encoding', () => link({}, { headers: { 'Content-Encoding': 'unknown' } })],
    ['replayEvent', 400, 'no reason', () => send(`/api/events/${event.id}/replay`, {})],
    ['replayEvent', 404, 'an unknown id', () => send('/api/events/unknown/replay', { reason: 'a' })],
    ['replayEvent', 413, 'a body too large', () => send('/api/events/a/replay', { reason: 'x'.repeat(70_000) })],
    ['replayEvent', 415, 'an unknown encoding', () => send('/api/events/a/replay', {}, { headers: { 'Content-Encoding': 'unknown' } })],
    ['startReplay', 400, 'an unknown filter', () => send('/api/replays', { filter: { a: 1 }, reason: 'a', dry_run: true })],
    ['startReplay', 413, 'a body too large', () => send('/api/replays', { reason: 'x'.repeat(70_000) })],
    ['startReplay', 415, 'an unknown encoding', () => send('/api/replays', {}, { headers: { 'Content-Encoding': 'unknown' } })],
    ['getReplay', 400, 'an id that is none', () => get('/api/replays/a')],
    ['getReplay', 404, 'an unknown id', () => get(`/api/replays/${randomUUID()}`)],
    ['cancelReplay', 400, 'no reason', () => send(cancelPath(), {})],
    ['cancelReplay', 404, 'an unknown id', () => send(cancelPath(), { reason: 'a' })],
    ['cancelReplay', 409, 'what has ended', () => send(`/api/replays/${redriveId}/cancel`, { reason: 'a' })],
    ['cancelReplay', 413, 'a body too large', () => send(cancelPath(), { reason: 'x'.repeat(70_000) })],
    ['cancelReplay', 415, 'an unknown encoding', () => send(cancelPath(), {}, { headers: { 'Content-Encoding': 'unknown' } })],
    ['redriveDead', 400, 'no reason', () => send('/api/dead/redrive', { dry_run: true })],
    ['redriveDead', 413, 'a body too large', () => send('/api/dead/redrive', { reason: 'x'.repeat(70_000) })],
    ['redriveDead', 415, 'an unknown encoding', () => send('/api/dead/redrive', {}, { headers: { 'Content-Encoding': 'unknown' } })],
    ['listAudit', 400, 'a bad cursor', () => get('/api/audit?cursor=abc')],
    ['getStatistics', 400, 'an unknown range', () => get('/api/statistics?range=year')],
    ['search', 400, 'no text', () => get('/api/search?q=')],
    ['listMessages', 400, 'an unknown status', () => get('/api/messages?status=lost')],
    ['listMessages', 400, 'a bad cursor', () => get('/api/messages?cursor=abc')],
    ['resendMessage', 400, 'no reason', () => resend({}, resendPath(randomUUID()))],
    ['resendMessage', 404, 'an unknown id', () => resend({ reason: 'a' }, resendPath(randomUUID()))],
    ['resendMessage', 413, 'a body too large', () => resend({ reason: 'x'.repeat(70_000) }, resendPath(randomUUID()))],
    ['resendMessage', 415, 'an unknown encoding', () => resend({}, resendPath('a'), { headers: { 'Content-Encoding': 'unknown' } })],
    ['getOrder', 404, 'an unknown id', () => get('/api/orders/unknown')],
    ['getOrder', 400, 'a path that is no UTF-8', () => get('/api/orders/%ff')],
    ['registerOrder', 400, 'no JSON', () => put('no JSON')],
    ['registerOrder', 400, 'a field too many', () => put({ ...registration, extra: 1 })],
    ['registerOrder', 400, 'an id too long', () => put(registration, { path: `/api/orders/${long}` })],
    ['registerOrder', 403, 'a replacement by the shop', () => put({ ...registration, replace: true, reason: 'a' }, { token: SHOP_TOKEN })],
    ['registerOrder', 409, 'another amount', () => put({ ...registration, expected_minor: 1 })],
    ['registerOrder', 413, 'a body too large', () => put({ ...registration, metadata: { a: 'x'.repeat(70_000) } })],
    ['registerOrder', 415, 'an unknown encoding', () => put(registration, { headers: { 'Content-Encoding': 'unknown' } })],
  ]
  it.each(bad)('%s %i, %s', async (id, status, _what, toCall) => {
    const answer = await call(id, toCall())

    expect({ status: answer.status, body: answer.body }).toMatchObject({ status })
    api.expectDocumented(id, answer)
  })

  const paths: [string, string, string | null][] = [
    ['listEvents', '/api/events', SHOP_TOKEN],
    ['getEvent', '/api/events/a', SHOP_TOKEN],
    ['getEventPayload', '/api/events/a/payload', SHOP_TOKEN],
    ['getJob', '/api/jobs/a', SHOP_TOKEN],
    ['listOrders', '/api/orders', SHOP_TOKEN],
    ['getOrder', '/api/orders/a', null],
    ['registerOrder', '/api/orders/a', VIEWER_TOKEN],
    ['listPayments', '/api/payments?unmatched=true', SHOP_TOKEN],
    ['linkPayment', linkPath('a'), VIEWER_TOKEN],
    ['replayEvent', '/api/events/a/replay', VIEWER_TOKEN],
    ['startReplay', '/api/replays', VIEWER_TOKEN],
    ['getReplay', `/api/replays/${randomUUID()}`, SHOP_TOKEN],
    ['cancelReplay', cancelPath(), VIEWER_TOKEN],
    ['redriveDead', '/api/dead/redrive', VIEWER_TOKEN],
    ['listAudit', '/api/audit', SHOP_TOKEN],
    ['listQueues', '/api/queues', SHOP_TOKEN],
    ['getStatistics', '/api/statistics', SHOP_TOKEN],
    ['search', '/api/search?q=a', SHOP_TOKEN],
    ['listMessages', '/api/messages', SHOP_TOKEN],
    ['resendMessage', resendPath(randomUUID()), VIEWER_TOKEN],
  ]
  const ask = (id: string, path: string, token: string) => {
    if (POSTED.has(id)) return call(id, send(path, {}, { token }))
    return call(id, id === 'registerOrder' ? put(registration, { path, token }) : get(path, token))
  }

  it.each(paths)('%s of a token that is wrong or may not', async (id, path, token) => {
    const answers = [await ask(id, path, WRONG_TOKEN), ...(token ? [await ask(id, path, token)] : [])]

    expect(answers.map(({ status }) => status)).toEqual(token ? [401, 403] : [401])
    for (const answer of answers) api.expectDocumented(id, answer)
  })

  it('resendMessage 409, of a message that is not dead', async () => {
    const message = await waitUntil('a message waits', async () => {
      await call('registerOrder', put({ ...registration, replace: true, reason: 'another hat' }))
      await call('registerOrder', put({ ...registration, expected_minor: 1999, replace: true, reason: 'another hat' }))
      return (await callApi(gateway.url, `/api/messages?order_id=${orderId}&status=waiting`)).body.data[0]
    })

    const answer = await call('resendMessage', resend({ reason: 'a' }, resendPath(message.message_id)))

    expect(answer.status).toBe(409)
    api.expectDocumented('resendMessage', answer)
  })

  it('receiveWebhook 503, while the database is away', async () => {
    const outage = await beginOutage(gateway.database)
    const answer = await call('receiveWebhook', delivery(JSON.stringify(buildEvent())))
    await outage.end()

    expect(answer.status).toBe(503)
    api.expectDocumented('receiveWebhook', answer)
  })

  it.each(paths)('%s 429, after too many wrong tokens', async (id, path) => {
    let answer = await ask(id, path, WRONG_TOKEN)
    for (let count = 0; answer.status !== 429 && count < 50; count += 1) answer = await ask(id, path, WRONG_TOKEN)

    expect(answer.status).toBe(429)
    api.expectDocumented(id, answer)
  })
})

describe('the document', () => {
  it('is OpenAPI 3.1', () => {
    expect(api.document.openapi).toMatch(/^3\.1\./)
    expect(findDocumentErrors(api.document)).toEqual([])
    expect(findDocumentErrors({ ...api.document, info: { title: 'Sluice' } })).not.toEqual([])
  })

  it('holds every reference, and every parameter of a path', () => {
    const references = [...JSON.stringify(api.document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name)
    expect(Object.keys(api.document.components.schemas)).toEqual(expect.arrayContaining(references))

    for (const { path, operation } of listOperations(api.document)) {
      const parameters = (operation.parameters ?? []).filter((parameter: Json) => parameter.in === 'path').map(({ name }: Json) => name)
      expect(parameters).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    }
  })

  it('names every route under /api, and no other', () => {
    const documented = listOperations(api.document).map(({ method, path }) => `${method} ${path}`)

    expect(documented.filter((route) => route.includes('/api/')).sort()).toEqual(
      listRoutes(createApiRouter(gateway.context), '/api').sort(),
    )
  })

  it('says only what has been seen answered above', () => {
    expect(api.answers.filter((answer) => !seen.has(answer))).toEqual([])
  })

  it('asks for a token wherever one is needed, and nowhere else', () => {
    for (const { path, operation } of listOperations(api.document))
      expect({ path, security: operation.security }).toEqual({ path, security: path.startsWith('/api/') ? [{ token: [] }] : undefined })
  })

  it.each([
    ['GET', '/api'],
    ['GET', '/api/nothing'],
    ['GET', '/api/events/a/nothing'],
    ['DELETE', '/api/orders/a'],
    ['POST', '/api/queues'],
  ])('does not have %s %s, which is answered 404 or 405', async (method, path) => {
    const { status } = await callApi(gateway.url, path, { method })

    expect([404, 405]).toContain(status)
  })
})

describe('the document rejects an answer with a field too many, too few or under another name:', () => {
  it.each([
    ['listEvents', () => get('/api/events?limit=1')],
    ['getEvent', () => get(`/api/events/${event.id}`)],
    ['getJob', () => get(`/api/jobs/${event.id}`)],
    ['listOrders', () => get('/api/orders')],
    ['getOrder', () => get(`/api/orders/${orderId}`)],
    ['listMessages', () => get(`/api/messages?order_id=${orderId}`)],
    ['listQueues', () => get('/api/queues')],
    ['getStatistics', () => get('/api/statistics')],
    ['receiveWebhook', () => delivery(eventBody)],
  ])('%s', async (id, toCall) => {
    const request = toCall()
    const path = id === 'getJob' ? `/api/jobs/${(await waitForEvent(gateway.url, event.id)).job_id}` : request.path
    const { status, body } = await callApi(gateway.url, path, request)
    expect({ status, errors: api.findErrors(id, status, body) }).toEqual({ status: 200, errors: [] })

    const doctored = doctor(body, ['metadata'])

    expect(doctored.length).toBeGreaterThan(10)
    expect(doctored.filter((variant) => api.findErrors(id, status, variant.body).length === 0).map(({ what }) => what)).toEqual([])
  })

  it('a problem', async () => {
    const { body } = await callApi(gateway.url, '/api/events/unknown')

    for (const variant of doctor(body, [])) expect(api.findErrors('getEvent', 404, variant.body)).not.toEqual([])
  })
})

describe('GET /docs', () => {
  const load = (path: string) => fetch(new URL(path, gateway.url))

  it('forbids to load anything from elsewhere, and inline scripts', async () => {
    const { headers, status } = await load('/docs')

    expect(status).toBe(200)
    const policy = Object.fromEntries((headers.get('content-security-policy') ?? '').split('; ').map((rule) => rule.split(/ (.*)/, 2)))
    expect(policy).toMatchObject({ 'default-src': "'none'", 'script-src': "'self'", 'connect-src': "'self'", 'frame-ancestors': "'none'" })
    expect(Object.values(policy).join(' ')).not.toMatch(/\*|https?:|'unsafe-eval'/)
  })

  it('loads only what lies here, and all of it is there', async () => {
    const page = await (await load('/docs')).text()
    const targets = [...page.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, target]) => target as string)

    expect(targets.length).toBeGreaterThanOrEqual(5)
    for (const target of targets) {
      expect(target).toMatch(/^\/(?!\/)/)
      expect({ target, status: (await load(target)).status }).toEqual({ target, status: 200 })
    }
    expect(page).not.toMatch(/<script>|https?:\/\/|\bon\w+=/)
  })

  it('begins with our document, and asks no validator elsewhere about it', async () => {
    const script = await (await load('/docs/start.js')).text()

    expect(script).toContain("url: '/openapi.json'")
    expect(script).toContain('validatorUrl: null')
    expect(await (await load('/docs/assets/swagger-ui.css')).text()).not.toMatch(/@import|url\(["']?(https?:)?\/\//)
  })

  it('brings no page of its library along, which would load from elsewhere', async () => {
    for (const path of ['index.html', 'swagger-initializer.js', 'oauth2-redirect.html'])
      expect({ path, status: (await load(`/docs/assets/${path}`)).status }).toEqual({ path, status: 404 })
  })

  it('gives no file outside of its library', async () => {
    for (const path of ['..%2fpackage.json', '%2e%2e/%2e%2e/package.json', '..%5cpackage.json', '.env'])
      expect([400, 403, 404]).toContain((await load(`/docs/assets/${path}`)).status)
  })
})
