import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi } from '../helpers/api.ts'
import { cookieOf, openConsole, signIn } from '../helpers/console.ts'
import { OPERATOR_TOKEN, SHOP_TOKEN, startTestGateway, type TestGateway, VIEWER_TOKEN } from '../helpers/start-test-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ env: { TRUST_PROXY: '1' } })
})
afterAll(() => gateway.stop())

const from = (address: string) => ({ 'X-Forwarded-For': address })

describe('signing in', () => {
  it.each([
    ['an operator', OPERATOR_TOKEN, 'operator'],
    ['a viewer', VIEWER_TOKEN, 'viewer'],
  ])('lets %s in with a token, and shows the name and the role', async (_who, token, role) => {
    const { html, status } = await (await signIn(gateway.url, token)).get('/console/events')

    expect(status).toBe(200)
    expect(html).toContain(`<small>${role}</small>`)
  })

  it('gives a cookie that scripts, other sites and other paths do not get, and none but a Secure one behind TLS', async () => {
    const plain = await openConsole(gateway.url).post('/console/sign-in', { token: OPERATOR_TOKEN })
    const tls = await openConsole(gateway.url).post('/console/sign-in', { token: OPERATOR_TOKEN }, { 'X-Forwarded-Proto': 'https' })

    const cookie = plain.headers.get('set-cookie') ?? ''
    for (const attribute of ['HttpOnly', 'SameSite=Strict', 'Path=/console', 'Expires=']) expect(cookie).toContain(attribute)
    expect(cookie).not.toContain('Secure')
    expect(tls.headers.get('set-cookie')).toContain('Secure')
  })

  it.each([
    ['a wrong token', 401, 'wrong-token'],
    ['no token', 401, ''],
    ['a token of the shop', 403, SHOP_TOKEN],
  ])('refuses %s with %i and gives no cookie', async (_what, status, token) => {
    const answer = await openConsole(gateway.url).post('/console/sign-in', { token }, from('192.0.2.1'))

    expect(answer.status).toBe(status)
    expect(answer.html).toContain('role="alert"')
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  it('refuses an address after ten failures in a minute, and no other', async () => {
    const attempt = (address: string, token: string) => openConsole(gateway.url).post('/console/sign-in', { token }, from(address))
    for (let count = 0; count < 10; count += 1) expect((await attempt('192.0.2.2', 'wrong')).status).toBe(401)

    expect((await attempt('192.0.2.2', OPERATOR_TOKEN)).status).toBe(429)
    expect((await attempt('192.0.2.3', OPERATOR_TOKEN)).status).toBe(303)
  })

  it('comes back to the page that was asked for, and to none elsewhere', async () => {
    const { location, status } = await openConsole(gateway.url).get('/console/orders/ord_1?by=arrival')
    expect({ status, location }).toEqual({ status: 303, location: '/console/sign-in?to=%2Fconsole%2Forders%2Ford_1%3Fby%3Darrival' })
    const targets = [
      '/console/orders/ord_1?by=arrival',
      'https://evil.example',
      '//evil.example',
      '/console/../evil',
      '/consolevil',
      '/console/sign-out',
    ]

    const locations = []
    for (const to of targets)
      locations.push((await openConsole(gateway.url).post('/console/sign-in', { token: OPERATOR_TOKEN, to })).location)

    expect(locations).toEqual([targets[0], '/console/events', '/console/events', '/console/events', '/console/events', '/console/events'])
  })

  it('starts a session under a new id, so that a planted one is of no use', async () => {
    const before = await signIn(gateway.url, VIEWER_TOKEN)

    const after = await before.post('/console/sign-in', { token: OPERATOR_TOKEN })

    expect(cookieOf(after)).not.toBe(before.cookie)
    expect((await before.get('/console/events')).status).toBe(303)
  })

  it('by a link from the terminal works once', async () => {
    const path = gateway.context.oneTimeLinks.create({ name: 'olga', role: 'operator' })

    const first = await openConsole(gateway.url).get(path)
    const second = await openConsole(gateway.url).get(path)

    expect((await openConsole(gateway.url, cookieOf(first)).get('/console/events')).status).toBe(200)
    expect({ status: second.status, cookie: cookieOf(second) }).toEqual({ status: 401, cookie: '' })
  })

  it('and out stand in the audit', async () => {
    const desk = await signIn(gateway.url, VIEWER_TOKEN)
    await desk.post('/console/sign-out', {})

    const { data } = (await callApi(gateway.url, '/api/audit?actor=vera&limit=2')).body
    expect(data.map(({ action }: { action: string }) => action)).toEqual(['console.signed_out', 'console.signed_in'])
  })
})

describe('a session', () => {
  it('ends when one signs out', async () => {
    const desk = await signIn(gateway.url)

    const { status, location } = await desk.post('/console/sign-out', {})

    expect({ status, location }).toEqual({ status: 303, location: '/console/sign-in' })
    expect((await desk.get('/console/events')).status).toBe(303)
  })

  it('ends after twelve hours, used or not', async () => {
    const findExpiry = async () =>
      (
        await gateway.context.db.pool.query(
          `select max(expire) as at, max(expire) <= now() + interval '12 h 1 min' as soon from sluice.console_sessions`,
        )
      ).rows[0]
    const desk = await signIn(gateway.url)
    const before = await findExpiry()
    await desk.get('/console/events')
    expect(await findExpiry()).toEqual(before)
    expect(before.soon).toBe(true)

    await gateway.context.db.pool.query(`update sluice.console_sessions set expire = now() - interval '1 second'`)

    expect((await desk.get('/console/events')).status).toBe(303)
  })

  it('is known to every process of the same tokens, and to none of others', async () => {
    const desk = await signIn(gateway.url)
    const same = await startTestGateway({ role: 'api', database: gateway.database })
    const other = await startTestGateway({ role: 'api', database: gateway.database, env: { VIEWER_TOKENS: `vera=${'v'.repeat(32)}` } })

    const statuses = [same, other].map(({ url }) => openConsole(url, desk.cookie).get('/console/events'))

    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 303])
    await Promise.all([same.stop(), other.stop()])
  })

  it('does not work with a cookie that was tampered with', async () => {
    const { cookie } = await signIn(gateway.url)

    expect((await openConsole(gateway.url, `${cookie.slice(0, -3)}abc`).get('/console/events')).status).toBe(303)
  })
})

describe('a form', () => {
  it.each([
    ['of another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['of a sister domain', { 'Sec-Fetch-Site': 'same-site' }],
    ['of another origin, where the browser says no more', { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' }],
  ])('%s is refused with 403 though the cookie is right', async (_what, headers) => {
    const desk = await signIn(gateway.url)

    const { status, html } = await desk.post('/console/sign-out', {}, headers)

    expect(status).toBe(403)
    expect(html).toContain('cross_site')
    expect((await desk.get('/console/events')).status).toBe(200)
  })

  it('of the same origin is taken where the browser says no more than its origin', async () => {
    const { cookie } = await signIn(gateway.url)
    const answer = await fetch(`${gateway.url}/console/sign-out`, {
      method: 'POST',
      headers: { Cookie: cookie, Origin: gateway.url },
      redirect: 'manual',
    })

    expect(answer.status).toBe(303)
  })
})
