import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { requestHead, sendRaw } from '../helpers/raw-http.ts'
import { buildEvent, sign } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { isStored } from '../helpers/stored-event.ts'

describe('/webhooks/{provider}', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ role: 'api' })
  })
  afterAll(() => gateway.stop())

  async function send(path: string, { method = 'POST', event = buildEvent(), headers = {} as Record<string, string> } = {}) {
    const body = JSON.stringify(event)
    const response = await fetch(`${gateway.url}${path}`, {
      method,
      redirect: 'manual',
      headers: { 'Stripe-Signature': sign(body), ...headers },
      ...(!['GET', 'HEAD'].includes(method) && { body }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) }
  }

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('answers 405 and names POST when the method is %s', async (method) => {
    const event = buildEvent()

    const answer = await send('/webhooks/stripe', { method, event })

    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    if (method !== 'HEAD') expect(answer.body).toMatchObject({ status: 405, code: 'method_not_allowed' })
    expect(await isStored(gateway.url, event.id)).toBe(false)
  })

  it.each(['/webhooks/nobody', '/webhooks/Stripe', '/webhooks/__proto__', '/webhooks/constructor', '/webhooks/%00', '/webhooks/stripe%20'])(
    'answers 404 for the unknown provider in %s',
    async (path) => {
      const answer = await send(path)

      expect(answer.status).toBe(404)
      expect(answer.body).toMatchObject({ status: 404, code: 'provider_unknown', correlation_id: answer.headers.get('x-correlation-id') })
    },
  )

  it.each(['/webhooks/stripe/', '/webhooks/stripe?from=dashboard', '/webhooks/%73tripe'])('takes %s as the same path', async (path) => {
    const event = buildEvent()

    const answer = await send(path, { event })

    expect(answer.status).toBe(202)
    expect(await isStored(gateway.url, event.id)).toBe(true)
  })

  it.each([
    '//webhooks/stripe',
    '/webhooks//stripe',
    '/WEBHOOKS/STRIPE',
    '/webhooks',
    '/webhooks/',
    '/webhooks/stripe/x',
    '/webhooks/stripe//',
  ])('answers 404, never a redirect, to %s', async (path) => {
    const event = buildEvent()

    const answer = await send(path, { event })

    expect(answer.status).toBe(404)
    expect(answer.headers.get('location')).toBeNull()
    expect(await isStored(gateway.url, event.id)).toBe(false)
  })

  it.each(['/webhooks/%', '/webhooks/%ff', '/webhooks/%ed%a0%80', `/webhooks/${'x'.repeat(10_000)}`, '/webhooks/..%2fapi'])(
    'answers a 4xx to the unreadable path %s',
    async (path) => {
      const answer = await send(path)

      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.status).toBeLessThan(500)
      expect(answer.body).toMatchObject({ status: answer.status, code: expect.any(String) })
    },
  )

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a TLS greeting', Buffer.from('16030100a5010000a1', 'hex')],
    ['HTTP/1.1 without a host', 'POST /webhooks/stripe HTTP/1.1\r\n\r\n'],
    ['a method nobody knows', requestHead({}, 'BREW /webhooks/stripe HTTP/1.1')],
    ['a target with a space', requestHead({}, 'POST /webhooks/ stripe HTTP/1.1')],
    ['a target that is *', requestHead({ 'Content-Length': 0 }, 'POST * HTTP/1.1')],
    ['a target that is no address', requestHead({ 'Content-Length': 0 }, 'POST http://[ HTTP/1.1')],
    ['a header without a name', 'POST /webhooks/stripe HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n'],
    ['70 KB of headers', requestHead({ 'X-Long': 'x'.repeat(70_000) })],
  ])('answers a 4xx and stays up when the bytes are %s', async (_what, bytes) => {
    const answer = await sendRaw(gateway.url, bytes)

    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect((await send('/webhooks/stripe')).status).toBe(202)
  })

  it('gives every delivery a correlation id of its own, whatever the sender brings', async () => {
    const event = buildEvent()

    const first = await send('/webhooks/stripe', { event, headers: { 'X-Correlation-Id': 'mine' } })
    const second = await send('/webhooks/stripe', { event, headers: { 'X-Correlation-Id': 'mine' } })

    const ids = [first, second].map(({ headers }) => headers.get('x-correlation-id'))
    expect(new Set([...ids, 'mine']).size).toBe(3)
    expect([first, second].map(({ body }) => body.correlation_id)).toEqual(ids)
  })
})
