import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, waitForEvent } from '../helpers/api.ts'
import { beginOutage } from '../helpers/disturb-database.ts'
import { findFreePort } from '../helpers/free-port.ts'
import { type Metrics, scrape } from '../helpers/metrics.ts'
import { buildEvent, buildIntent, deliver, sign, uniqueId } from '../helpers/signed-webhook.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { waitUntil } from '../helpers/wait-until.ts'

const METRICS_TOKEN = 'metrics-token-metrics-token-metrics'

// One takes deliveries, with its operations on another port; the other works, and shows its metrics for a token only.
let gateway: TestGateway
let operatorUrl: string
let worker: TestGateway
beforeAll(async () => {
  const operatorPort = await findFreePort()
  gateway = await startTestGateway({ role: 'api', env: { OPERATOR_PORT: String(operatorPort), MAX_QUEUE_DEPTH: '50' } })
  operatorUrl = `http://127.0.0.1:${operatorPort}`
  for (let count = 0; count < 3; count += 1) await deliver(gateway.url, buildEvent())
})
afterAll(async () => {
  await worker?.stop()
  await gateway.stop()
})

/** By how much samples grew while `act` ran. */
async function growth(act: () => Promise<unknown>, samples: string[]): Promise<number[]> {
  const before = await scrape(operatorUrl)
  await act()
  const after = await scrape(operatorUrl)
  return samples.map((sample) => after.value(sample) - before.value(sample))
}

const deliveries = (outcome: string, code = '', provider = 'stripe') =>
  `sluice_deliveries_total{provider="${provider}",outcome="${outcome}",code="${code}"}`
const seconds = (outcome: string) => `sluice_ingest_seconds_count{outcome="${outcome}"}`

describe('GET /metrics', () => {
  it('shows how many jobs wait, the connections of the pool and that deliveries are accepted', async () => {
    const metrics = await scrape(operatorUrl)

    expect(metrics.value('sluice_queue_jobs{queue="process-event",state="ready"}')).toBe(3)
    for (const state of ['active', 'retrying', 'dead'])
      expect(metrics.samples.get(`sluice_queue_jobs{queue="process-event",state="${state}"}`)).toBe(0)
    expect(metrics.value('sluice_queue_oldest_ready_seconds{queue="process-event"}')).toBeGreaterThan(0)
    expect(metrics.value('sluice_accepting')).toBe(1)
    expect(metrics.value('sluice_pool_connections{state="total"}')).toBeGreaterThan(0)
    for (const state of ['idle', 'waiting']) expect(metrics.samples.has(`sluice_pool_connections{state="${state}"}`)).toBe(true)
  })

  it('is Prometheus text, of which each sample has a type and each name of ours its prefix', async () => {
    const response = await fetch(`${operatorUrl}/metrics`)
    const metrics = await scrape(operatorUrl)

    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4; charset=utf-8$/)
    const families = [...metrics.samples.keys()].map((sample) => familyOf(metrics, sample))
    expect(families.filter((family) => !metrics.types.has(family))).toEqual([])
    expect([...metrics.types.keys()].filter((name) => !/^(sluice|process|nodejs)_/.test(name))).toEqual([])
  })

  it('needs no token while METRICS_TOKEN is unset', async () => {
    expect((await fetch(`${operatorUrl}/metrics`, { headers: { Authorization: 'Bearer anything' } })).status).toBe(200)
  })
})

describe('sluice_deliveries_total and sluice_ingest_seconds', () => {
  it('count an event as accepted once, and each repetition as a duplicate', async () => {
    const event = buildEvent()

    const act = async () => {
      for (let count = 0; count < 3; count += 1) await deliver(gateway.url, event)
    }

    const samples = [deliveries('accepted'), deliveries('duplicate'), seconds('accepted'), seconds('duplicate')]
    expect(await growth(act, samples)).toEqual([1, 2, 1, 2])
  })

  const post = (body: string, headers: Record<string, string> = {}, path = '/webhooks/stripe', method = 'POST') =>
    fetch(`${gateway.url}${path}`, { method, ...(method === 'POST' && { body }), headers: { 'Stripe-Signature': sign(body), ...headers } })
  it.each([
    ['signature_missing', () => post('{}', { 'Stripe-Signature': '' })],
    ['signature_malformed', () => post('{}', { 'Stripe-Signature': 'abc' })],
    ['signature_mismatch', () => post('{}', { 'Stripe-Signature': sign('{ }') })],
    ['timestamp_out_of_tolerance', () => post('{}', { 'Stripe-Signature': sign('{}', { timestamp: 1 }) })],
    ['payload_invalid', () => post('{}')],
    ['encoding_unsupported', () => post('{}', { 'Content-Encoding': 'br' })],
    ['body_too_large', () => post('x'.repeat(1_048_577))],
    ['method_not_allowed', () => post('', {}, '/webhooks/stripe', 'GET')],
  ])('count a refusal by its code: %s', async (code, act) => {
    expect(await growth(act, [deliveries('refused', code), seconds('refused'), deliveries('accepted')])).toEqual([1, 1, 0])
  })

  it('count providers that nobody knows as one, whatever they are called', async () => {
    const paths = Array.from({ length: 30 }, (_, index) => `/webhooks/${uniqueId('p')}${index}`)
    const act = () =>
      Promise.all([...paths, '/webhooks/__proto__', '/webhooks/Stripe', '/webhooks/%22%7D%0A'].map((path) => post('{}', {}, path)))

    expect(await growth(act, [deliveries('refused', 'provider_unknown', 'unknown')])).toEqual([33])

    const providers = (await scrape(operatorUrl)).labelsOf('sluice_deliveries_total').map(({ provider }) => provider)
    expect([...new Set(providers)].sort()).toEqual(['stripe', 'unknown'])
  })

  it('count what could not be stored as unavailable, and are shown while the database is away', async () => {
    const own = await startTestGateway({ role: 'api' })
    const outage = await beginOutage(own.database)
    const { status, body } = await deliver(own.url, buildEvent())
    const shown = await scrape(own.url).catch((error: Error) => error)
    await outage.end()
    await own.stop()

    expect(status).toBe(503)
    if (shown instanceof Error) throw shown
    expect([shown.value(deliveries('unavailable', String(body.code))), shown.value(seconds('unavailable'))]).toEqual([1, 1])
  })
})

describe('the histograms', () => {
  it('have buckets that only grow, and end with the count', async () => {
    const metrics = await scrape(operatorUrl)

    const buckets = metrics.labelsOf('sluice_ingest_seconds_bucket').filter(({ outcome }) => outcome === 'accepted')
    const counts = buckets.map(({ le, outcome }) => metrics.value(`sluice_ingest_seconds_bucket{le="${le}",outcome="${outcome}"}`))
    expect(counts).toEqual(counts.toSorted((left, right) => left - right))
    expect(buckets.at(-1)?.le).toBe('+Inf')
    expect(counts.at(-1)).toBe(metrics.value(seconds('accepted')))
    expect(metrics.value('sluice_ingest_seconds_sum{outcome="accepted"}')).toBeGreaterThan(0)
  })

  it('count as many deliveries in commits as there were authentic ones', async () => {
    const act = () => Promise.all(Array.from({ length: 20 }, () => deliver(gateway.url, buildEvent())))

    const samples = ['sluice_commit_batch_size_sum', 'sluice_commit_batch_size_count', seconds('accepted')]
    const [rows, commits, accepted] = await growth(act, samples)

    expect([rows, accepted]).toEqual([20, 20])
    expect(commits).toBeLessThanOrEqual(20)
    expect(commits).toBeGreaterThan(0)
  })
})

describe('while more waits than MAX_QUEUE_DEPTH', () => {
  it('deliveries count as unavailable with queue_full, and sluice_accepting is 0', async () => {
    const act = () => waitUntil('it refuses', async () => (await deliver(gateway.url, buildEvent())).status === 503)

    expect(await growth(act, [deliveries('unavailable', 'queue_full'), 'sluice_accepting'])).toEqual([1, -1])
  })
})

describe('a worker', () => {
  const orderId = uniqueId('ord')
  beforeAll(async () => {
    worker = await startTestGateway({ role: 'worker', database: gateway.database, env: { METRICS_TOKEN } })
    const event = buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) })
    await waitUntil('it accepts again', async () => (await deliver(gateway.url, event)).status === 202)
    await waitForEvent(operatorUrl, event.id)
  })

  it('shows its metrics for METRICS_TOKEN only', async () => {
    const wrong = [
      undefined,
      '',
      `Bearer ${OPERATOR_TOKEN}`,
      `Bearer ${METRICS_TOKEN}x`,
      `Basic ${btoa(`a:${METRICS_TOKEN}`)}`,
      METRICS_TOKEN,
    ]
    for (const authorization of wrong) {
      const response = await fetch(
        `${worker.url}/metrics`,
        authorization === undefined ? {} : { headers: { Authorization: authorization } },
      )
      expect({ authorization, status: response.status }).toEqual({ authorization, status: 401 })
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
      expect(await response.json()).toMatchObject({ code: 'token_invalid' })
    }

    expect((await scrape(worker.url, METRICS_TOKEN)).types.get('sluice_processing_seconds')).toBe('histogram')
  })

  it('counts what it processed, by status, and its batches', async () => {
    const metrics = await scrape(worker.url, METRICS_TOKEN)

    const { rows } = await worker.context.db.pool.query(
      `select count(*)::int as count from sluice.webhook_events where status = 'processed'`,
    )
    expect(metrics.value('sluice_processing_seconds_count{status="processed"}')).toBe(rows[0].count)
    expect(metrics.value('sluice_process_batch_size_sum')).toBeGreaterThanOrEqual(rows[0].count)
    expect([metrics.value('sluice_failed_attempts_total'), metrics.value('sluice_dead_events_total')]).toEqual([0, 0])
    expect(metrics.value('sluice_queue_jobs{queue="process-event",state="dead"}')).toBe(0)
  })

  it('serves its health, and nothing to deliver to or to operate', async () => {
    for (const path of ['/healthz', '/readyz']) expect((await fetch(`${worker.url}${path}`)).status).toBe(200)
    for (const path of ['/api/events', '/api/queues', `/api/orders/${orderId}`, '/docs', '/openapi.json', '/'])
      expect({ path, status: (await callApi(worker.url, path)).status }).toEqual({ path, status: 404 })
    expect((await deliver(worker.url, buildEvent())).status).toBe(404)
  })
})

describe('with OPERATOR_PORT set', () => {
  it.each(['/api/events', '/api/queues', '/docs', '/docs/start.js', '/openapi.json', '/metrics'])('%s is only there', async (path) => {
    expect((await callApi(operatorUrl, path)).status).toBe(200)
    expect((await callApi(gateway.url, path)).status).toBe(404)
  })

  it('deliveries are taken on PORT only', async () => {
    await gateway.context.backpressure.runOnce()

    expect((await deliver(gateway.url, buildEvent())).status).toBe(202)
    expect((await deliver(operatorUrl, buildEvent())).status).toBe(404)
  })

  it.each(['/healthz', '/readyz'])('%s is on both', async (path) => {
    expect([(await fetch(`${gateway.url}${path}`)).status, (await fetch(`${operatorUrl}${path}`)).status]).toEqual([200, 200])
  })
})

function familyOf({ types }: Metrics, sample: string): string {
  const name = sample.split('{')[0] as string
  return types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
}
