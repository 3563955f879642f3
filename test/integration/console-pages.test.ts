import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, getOrder, type Json, waitForEvent } from '../helpers/api.ts'
import { type Console, openConsole, signIn } from '../helpers/console.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway, VIEWER_TOKEN } from '../helpers/start-test-gateway.ts'
import { waitUntil } from '../helpers/wait-until.ts'

const MARKUP = `<img src=x onerror="document.title='owned'"></script><script>alert(1)</script>`

let gateway: TestGateway
let operator: Console
let viewer: Console
const orderId = uniqueId('ord')
const intent = buildIntent({ metadata: { order_id: orderId }, description: MARKUP, amount: 2000, odd: 'BIG' })
const paid = buildEvent({ object: intent })
const unmatched = buildEvent({ object: buildIntent() })
let story: Json

beforeAll(async () => {
  gateway = await startTestGateway()
  ;[operator, viewer] = await Promise.all([signIn(gateway.url), signIn(gateway.url, VIEWER_TOKEN)])
  // A number that JavaScript cannot hold.
  await deliver(gateway.url, JSON.stringify(paid).replace('"BIG"', '9007199254740993'))
  await deliver(gateway.url, unmatched)
  await waitForEvent(gateway.url, unmatched.id)
  story = await waitForEvent(gateway.url, paid.id)
})
afterAll(() => gateway.stop())

const PAGES = (): string[] => [
  '/console/events',
  '/console/events?status=dead',
  '/console/events?status=parked',
  `/console/events/${paid.id}`,
  `/console/events/${story.message_id}?payload=shown`,
  '/console/orders',
  `/console/orders/${orderId}`,
  `/console/orders/${orderId}?by=arrival`,
  '/console/payments',
  '/console/messages',
  '/console/audit',
  '/console/health',
  '/console/health?range=week',
  '/console/search?q=evt_',
  '/console/search?q=nothing-has-this',
]
const FORMS = (): string[] => [
  `/console/events/${paid.id}/replay`,
  '/console/replays/new?type=a',
  '/console/replays/new',
  '/console/dead/redrive',
  `/console/payments/stripe/${intent.id}/link`,
]

describe('every page', () => {
  it('is answered 200, and nothing of it is inline or from elsewhere', async () => {
    for (const path of [...PAGES(), ...FORMS()]) {
      const { status, html, headers } = await operator.get(path)
      expect({ path, status }).toEqual({ path, status: 200 })
      expect(headers.get('cache-control')).toBe('no-store')
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/unsafe|\*|https?:/)
      expect(html).not.toMatch(/<script(?! src="\/console\/assets\/[\w.]+" defer><\/script>)|<style|\sstyle=|\son\w+="/)
      expect(html.match(/(?:src|href|action)="(?!\/|#|\?|")[^"]*"/g)).toBeNull()
    }
  })

  it('has all that it loads', async () => {
    const { html } = await operator.get('/console/events')
    const loaded = [...html.matchAll(/(?:src|href)="(\/console\/assets\/[^"]*)"/g)].map(([, path]) => path as string)

    expect(loaded).toHaveLength(3)
    for (const path of loaded) expect({ path, status: (await openConsole(gateway.url).get(path)).status }).toEqual({ path, status: 200 })
  })

  it('asks who one is', async () => {
    for (const path of [...PAGES(), ...FORMS()])
      expect({ path, location: (await openConsole(gateway.url).get(path)).location }).toEqual({
        path,
        location: `/console/sign-in?to=${encodeURIComponent(path)}`,
      })
  })

  it.each(['/console/nothing', '/console/events/nothing', '/console/orders/nothing', '/console/replays/nothing'])(
    'that is not there is answered 404 as a page: %s',
    async (path) => {
      const { status, html } = await operator.get(path)

      expect(status).toBe(404)
      expect(html).toContain('<h1>Not found</h1>')
    },
  )

  it('with a filter that is wrong says what is', async () => {
    const { status, html } = await operator.get('/console/events?received_from=yesterday')

    expect(status).toBe(400)
    expect(html).toContain('received_from: ')
  })
})

describe('a viewer', () => {
  it('sees no way to act', async () => {
    for (const path of PAGES()) {
      const { html } = await viewer.get(path)
      expect({ path, ways: html.match(/\/replay"|\/replays\/new|\/redrive|\/link"|\/resend"/g) }).toEqual({ path, ways: null })
    }
  })

  it('gets 403 who tries, and nothing happens', async () => {
    const acts = [
      `/console/events/${paid.id}/replay`,
      '/console/replays',
      '/console/dead/redrive',
      `/console/payments/stripe/${intent.id}/link`,
    ]
    const form = { reason: 'why not', order_id: 'ord_other', rate_per_second: '1' }
    for (const path of acts) expect({ path, status: (await viewer.post(path, form)).status }).toEqual({ path, status: 403 })
    for (const path of FORMS()) expect({ path, status: (await viewer.get(path)).status }).toEqual({ path, status: 403 })

    expect((await callApi(gateway.url, '/api/audit?action=event.replayed')).body.data).toEqual([])
  })
})

describe('an event page', () => {
  it('says what became of it in words, and what it was read as', async () => {
    const { html } = await operator.get(`/console/events/${paid.id}`)

    expect(html).toMatch(/Processed [\d.]+ m?s after it arrived\./)
    for (const words of ['verified with the secret “test”', 'Attempt 1 succeeded', 'Pending → Paid', 'payment.succeeded', '20.00 USD'])
      expect(html).toContain(words)
  })

  it('keeps the payload back until somebody asks, which stands in the audit', async () => {
    expect((await viewer.get(`/console/events/${paid.id}`)).html).not.toContain('onerror')

    await viewer.get(`/console/events/${paid.id}?payload=shown`)

    const { data } = (await callApi(gateway.url, '/api/audit?actor=vera&action=payload.viewed&limit=1')).body
    expect(data[0].subject).toEqual({ message_id: story.message_id })
  })

  it('shows markup as text and numbers as written', async () => {
    const { html } = await operator.get(`/console/events/${paid.id}?payload=shown`)

    expect(html).not.toContain('<img')
    expect(html).toContain('&lt;img src=x onerror=')
    expect(html).toContain('<span class="number">9007199254740993</span>')
  })

  it('gives the bytes as a file, which stands in the audit', async () => {
    const { headers } = await operator.get(`/console/events/${paid.id}/payload.json`)

    expect(headers.get('content-disposition')).toBe(`attachment; filename="${story.message_id}.json"`)
    expect((await callApi(gateway.url, '/api/audit?action=payload.downloaded&limit=1')).body.data).toHaveLength(1)
  })
})

describe('an order page', () => {
  it('says why it has its status', async () => {
    const { html } = await operator.get(`/console/orders/${orderId}`)

    expect(html).toContain(`${intent.id} is succeeded: 20.00 USD`)
    expect(html).toContain('the shop has not registered this order')
  })

  it('calls a registration by the shop no refusal', async () => {
    const id = uniqueId('ord')
    await callApi(gateway.url, `/api/orders/${id}`, { method: 'PUT', body: '{"currency":"USD","expected_minor":2000}' })

    const { html } = await operator.get(`/console/orders/${id}`)

    expect(html).toContain('registered by olga')
    expect(html).not.toContain('Refused')
  })

  it('marks events that arrived in another order than they happened', async () => {
    const id = uniqueId('ord')
    const object = buildIntent({ metadata: { order_id: id } })
    const later = buildEvent({ object })
    const earlier = buildEvent({
      object: { ...object, status: 'processing', amount_received: 0 },
      type: 'payment_intent.processing',
      created: later.created - 60,
    })
    for (const event of [later, earlier]) {
      await deliver(gateway.url, event)
      await waitForEvent(gateway.url, event.id)
    }

    const { html } = await operator.get(`/console/orders/${id}`)

    expect(html.lastIndexOf(earlier.id)).toBeLessThan(html.lastIndexOf(later.id))
    expect(html).toContain('arrived as number 2')
  })
})

describe('the search box goes straight to', () => {
  it.each([
    ['the order of its number', () => orderId, () => `/console/orders/${orderId}`],
    ['the order of a payment', () => intent.id, () => `/console/orders/${orderId}`],
    ['the event of its id', () => paid.id, () => `/console/events/${story.message_id}`],
    ['the event of our message id', () => story.message_id, () => `/console/events/${story.message_id}`],
    ['the one event of a payment without an order', () => (unmatched.data.object as Json).id, () => `/console/events/${unmatched.id}`],
  ])('%s', async (_what, toText, toPath) => {
    const { status, location } = await operator.get(`/console/search?q=%20${toText()}`)

    const wanted =
      toPath() === `/console/events/${unmatched.id}` ? (await callApi(gateway.url, `/api/events/${unmatched.id}`)).body.message_id : ''
    expect({ status, location }).toEqual({ status: 303, location: wanted ? `/console/events/${wanted}` : toPath() })
  })
})

describe('an operator', () => {
  it('replays an event with a reason, and without one is told so', async () => {
    const path = `/console/events/${story.message_id}/replay`
    expect((await operator.post(path, { reason: ' ' })).html).toContain('reason: is required: why?')

    const { status, location } = await operator.post(path, { reason: 'the customer called' })

    expect({ status, location }).toEqual({ status: 303, location: `/console/events/${story.message_id}` })
    expect((await operator.get(location as string)).html).toContain('the customer called')
  })

  it('replays what a filter matches, after seeing how many', async () => {
    const type = 'payment_intent.succeeded'
    expect((await operator.get(`/console/replays/new?type=${type}`)).html).toMatch(/<strong>\d+ events match<\/strong>/)

    const { location } = await operator.post('/console/replays', { type, rate_per_second: '100', reason: 'a new rule' })

    expect(location).toMatch(/^\/console\/replays\/[\w-]{36}$/)
    await waitUntil('the replay is done', async () => (await viewer.get(location as string)).html.includes('class="badge done"'))
  })

  it('cancels a replay that runs', async () => {
    const { location } = await operator.post('/console/replays', { rate_per_second: '1', reason: 'all of them' })

    const { status } = await operator.post(`${location}/cancel`, { reason: 'a mistake' })

    expect(status).toBe(303)
    expect((await operator.get(location as string)).html).toContain('class="badge canceled"')
  })

  it('links a payment to an order', async () => {
    const { id } = unmatched.data.object as Json
    const other = uniqueId('ord')
    expect((await operator.get('/console/payments')).html).toContain(id)

    const { location } = await operator.post(`/console/payments/stripe/${id}/link`, { order_id: other, reason: 'a receipt' })

    expect(location).toBe(`/console/orders/${other}`)
    expect(await getOrder(gateway.url, other)).toMatchObject({ status: 'paid' })
    expect((await operator.get('/console/payments')).html).not.toContain(id)
  })

  it('sees in the audit who did what, and why', async () => {
    const { html } = await operator.get('/console/audit')

    for (const words of ['event.replayed', 'the customer called', 'payment.linked', 'a receipt', 'replay.canceled', 'olga'])
      expect(html).toContain(words)
  })
})

describe('a list', () => {
  it('tells how many events came since it was opened', async () => {
    const { html } = await operator.get(`/console/events?order_id=${orderId}`)
    const newer = html.match(/data-newer="([^"]*)"/)?.[1]?.replaceAll('&amp;', '&') as string
    expect(JSON.parse((await operator.get(newer)).html)).toEqual({ count: 0, isMore: false })

    const next = buildEvent({ object: intent })
    await deliver(gateway.url, next)
    await waitForEvent(gateway.url, next.id)

    expect(JSON.parse((await operator.get(newer)).html)).toEqual({ count: 1, isMore: false })
  })

  it('goes on with what is older', async () => {
    const { html } = await operator.get('/console/events?limit=1')
    const older = html.match(/rel="next" href="([^"]*)"/)?.[1]?.replaceAll('&amp;', '&') as string

    const next = await operator.get(older)

    expect(next.status).toBe(200)
    expect(next.html).toContain('Back to the newest')
  })
})
