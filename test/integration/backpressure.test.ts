import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { callApi, type Json, waitForEvent } from '../helpers/api.ts'
import { holdLocks } from '../helpers/disturb-database.ts'
import { scrape } from '../helpers/metrics.ts'
import { openRaw, requestHead } from '../helpers/raw-http.ts'
import { type Answer, buildEvent, buildIntent, deliver, sign, uniqueId } from '../helpers/signed-webhook.ts'
import { beginUpload, type SlowUpload, type UploadOptions } from '../helpers/slow-upload.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { countEvents, isStored } from '../helpers/stored-event.ts'
import { waitUntil } from '../helpers/wait-until.ts'

const MAX_QUEUE_DEPTH = 10
const MAX_INFLIGHT_BYTES = 1_048_576

let gateway: TestGateway
beforeAll(async () => {
  const env = { MAX_QUEUE_DEPTH: String(MAX_QUEUE_DEPTH), MAX_INFLIGHT_BYTES: String(MAX_INFLIGHT_BYTES) }
  gateway = await startTestGateway({ role: 'api', env })
})
afterAll(() => gateway.stop())

const rows = async (sql: string, values: unknown[] = []): Promise<Json[]> => (await gateway.context.db.pool.query(sql, values)).rows
const linesOf = (event: string) => gateway.logs.filter((line) => line.event === event)
const startWorker = (env: Record<string, string> = {}) => startTestGateway({ role: 'worker', database: gateway.database, env })

async function getQueues(): Promise<Json> {
  return (await callApi(gateway.url, '/api/queues')).body
}

/** Forgets the jobs of earlier tests. */
async function emptyQueue(): Promise<void> {
  await rows('delete from sluice_queue.job')
  await gateway.context.backpressure.runOnce()
}

async function takeJobs(count: number): Promise<void> {
  await rows('delete from sluice_queue.job where id in (select id from sluice_queue.job where name = $1 limit $2)', [
    'process-event',
    count,
  ])
  await gateway.context.backpressure.runOnce()
}

describe('with more jobs waiting than MAX_QUEUE_DEPTH', () => {
  const refused = buildEvent()
  let answers: number[]
  let refusal: Answer
  beforeAll(async () => {
    answers = []
    for (let count = 0; count <= MAX_QUEUE_DEPTH; count += 1) answers.push((await deliver(gateway.url, buildEvent())).status)
    refusal = await deliver(gateway.url, refused)
  })

  it('a delivery is answered 503 queue_full with Retry-After, and those before it 202', () => {
    expect(answers).toEqual(Array(MAX_QUEUE_DEPTH + 1).fill(202))
    expect(refusal).toMatchObject({ status: 503, body: { code: 'queue_full' } })
    expect(refusal.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('nothing is stored of what is refused, be it new or known', async () => {
    await Promise.all(Array.from({ length: 20 }, () => deliver(gateway.url, buildEvent())))

    expect(await countEvents(gateway)).toBe(MAX_QUEUE_DEPTH + 1)
    expect(await isStored(gateway.url, refused.id)).toBe(false)
    expect(await rows('select count(*)::int as count from sluice_queue.job')).toEqual([{ count: MAX_QUEUE_DEPTH + 1 }])
  })

  it('a forged delivery is still answered by what is wrong with its header', async () => {
    expect((await deliver(gateway.url, buildEvent(), { timestamp: 1 })).status).toBe(400)
  })

  it('the gateway is ready, and answers its operators', async () => {
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
    expect(await getQueues()).toMatchObject({ accepting: false, max_depth: MAX_QUEUE_DEPTH, data: [{ ready: MAX_QUEUE_DEPTH + 1 }] })
  })

  it('the refusal is no failed request of ours: the log says once that shedding started', () => {
    expect(linesOf('shedding.started')).toMatchObject([
      { level: 'warn', fields: { depth: MAX_QUEUE_DEPTH + 1, max_depth: MAX_QUEUE_DEPTH } },
    ])
    expect(linesOf('request.failed')).toEqual([])
  })

  it('deliveries are refused until 90 % are left, then accepted, and the log says so once', async () => {
    await takeJobs(1)
    const atMaximum = (await deliver(gateway.url, refused)).status
    await takeJobs(1)
    const below = (await deliver(gateway.url, refused)).status

    expect([atMaximum, below]).toEqual([503, 202])
    expect(await isStored(gateway.url, refused.id)).toBe(true)
    expect(linesOf('shedding.started')).toHaveLength(1)
    expect(linesOf('shedding.ended')).toMatchObject([{ level: 'info', fields: { depth: 9 } }])
  })

  it('deliveries are accepted again by themselves after a worker has drained the queue', async () => {
    await waitUntil('it refuses', async () => (await deliver(gateway.url, buildEvent())).status === 503)
    const worker = await startWorker()

    await waitUntil('it accepts again', async () => (await deliver(gateway.url, buildEvent())).status === 202)
    await waitUntil('all is done', async () => (await getQueues()).data[0].ready === 0)
    await worker.stop()

    expect([linesOf('shedding.started').length, linesOf('shedding.ended').length]).toEqual([2, 2])
    expect(await getQueues()).toMatchObject({ accepting: true })
  })
})

describe('GET /api/queues', () => {
  beforeEach(emptyQueue)

  it('counts nothing of an empty queue', async () => {
    const queue = { name: 'process-event', ready: 0, active: 0, retrying: 0, dead: 0, oldest_ready_seconds: null }

    expect(await getQueues()).toEqual({ data: [queue], accepting: true, max_depth: MAX_QUEUE_DEPTH })
  })

  it('counts what is ready, and says how long the oldest has waited', async () => {
    const first = await deliver(gateway.url, buildEvent())
    await deliver(gateway.url, buildEvent())
    await rows(`update sluice_queue.job set start_after = start_after - interval '90 s' where id = $1`, [first.body.job_id])

    const [queue] = (await getQueues()).data

    expect(queue).toMatchObject({ ready: 2, active: 0, retrying: 0, dead: 0 })
    expect(queue.oldest_ready_seconds).toBeGreaterThanOrEqual(90)
    expect(queue.oldest_ready_seconds).toBeLessThan(120)
  })

  it('counts what is active while its worker waits for a lock, and nothing after it', async () => {
    const orderId = uniqueId('ord')
    await callApi(gateway.url, `/api/orders/${orderId}`, { method: 'PUT', body: JSON.stringify({ currency: 'USD', expected_minor: 2000 }) })
    const event = buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) })
    await deliver(gateway.url, event)
    const locks = await holdLocks(gateway.database, `select from sluice.orders where order_id = '${orderId}' for update`)
    const worker = await startWorker()

    const queue = await waitUntil('it is active', async () => (await getQueues()).data.find(({ active }: Json) => active > 0))
    await locks.release()
    await waitForEvent(gateway.url, event.id)
    await worker.stop()

    expect(queue).toMatchObject({ ready: 0, active: 1, retrying: 0, dead: 0, oldest_ready_seconds: null })
    expect((await getQueues()).data).toMatchObject([{ ready: 0, active: 0, retrying: 0, dead: 0 }])
  })

  it('counts what failed and will be tried again, and what is dead after its last attempt', async () => {
    await rows(`create function sluice.refuse() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$`)
    await rows('create trigger refuse before insert or update on sluice.orders for each row execute function sluice.refuse()')
    const worker = await startWorker({ JOB_RETRY_LIMIT: '1', JOB_RETRY_DELAY_SECONDS: '1' })
    const event = buildEvent({ object: buildIntent({ metadata: { order_id: uniqueId('ord') } }) })
    await deliver(gateway.url, event)

    const retrying = await waitUntil('it is retried', async () => (await getQueues()).data.find((queue: Json) => queue.retrying > 0))
    await waitForEvent(gateway.url, event.id)
    const { data: ended } = await getQueues()
    await worker.stop()

    expect(retrying).toMatchObject({ ready: 0, active: 0, retrying: 1, dead: 0 })
    expect(ended).toMatchObject([{ ready: 0, active: 0, retrying: 0, dead: 1, oldest_ready_seconds: null }])
    await rows('drop trigger refuse on sluice.orders')
  })
})

describe('with more bytes in flight than MAX_INFLIGHT_BYTES', () => {
  const body = () => JSON.stringify(buildEvent({ padding: 'x'.repeat(300_000) }))
  const inflightBytes = async () => (await scrape(gateway.url)).value('sluice_inflight_bytes')
  beforeEach(emptyQueue)

  async function beginThree(options: UploadOptions = {}): Promise<SlowUpload[]> {
    const uploads = await Promise.all([body(), body(), body()].map((text) => beginUpload(gateway.url, text, options)))
    await waitUntil('they have arrived', async () => (await inflightBytes()) > 900_000)
    return uploads
  }

  it.each([
    ['say their length', {}],
    ['do not say their length', { announces: 'nothing' } as const],
  ])('a delivery is answered 503 overloaded with Retry-After, and those under way 202, which %s', async (_what, options) => {
    const stored = await countEvents(gateway)
    const uploads = await beginThree(options)

    const refusal = await deliver(gateway.url, body())
    const statuses = await Promise.all(uploads.map((upload) => upload.finish()))

    expect(refusal).toMatchObject({ status: 503, body: { code: 'overloaded' } })
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(statuses).toEqual([202, 202, 202])
    expect((await deliver(gateway.url, body())).status).toBe(202)
    expect(await countEvents(gateway)).toBe(stored + 4)
  })

  it('a small delivery is taken that still fits', async () => {
    const uploads = await beginThree()

    const { status } = await deliver(gateway.url, buildEvent())
    for (const upload of uploads) upload.giveUp()

    expect(status).toBe(202)
  })

  it('those that were given up or refused count no longer', async () => {
    const uploads = await beginThree()
    const { status } = await deliver(gateway.url, body())

    for (const upload of uploads) upload.giveUp()

    expect(status).toBe(503)
    await waitUntil('nothing is in flight', async () => (await inflightBytes()) === 0)
    expect((await deliver(gateway.url, body())).status).toBe(202)
  })

  it('the connection of a delivery that was refused carries the next', async () => {
    const uploads = await beginThree()
    const connection = await openRaw(gateway.url)
    const send = async (text: string) => {
      connection.write(requestHead({ 'Stripe-Signature': sign(text), 'Content-Length': text.length }) + text)
      return (await connection.answer()).status
    }

    const statuses = [await send(body()), await send(JSON.stringify(buildEvent()))]
    connection.close()
    for (const upload of uploads) upload.giveUp()

    expect(statuses).toEqual([503, 202])
  })

  it('the gateway is ready, and answers its operators', async () => {
    const uploads = await beginThree()

    const statuses = [(await fetch(`${gateway.url}/readyz`)).status, (await callApi(gateway.url, '/api/events?limit=1')).status]
    for (const upload of uploads) upload.giveUp()

    expect(statuses).toEqual([200, 200])
  })
})

describe('with slow forgeries that announce far more than MAX_INFLIGHT_BYTES and send a few bytes', () => {
  beforeEach(emptyQueue)

  it('a signed delivery is answered 202', async () => {
    const forgery = { announces: MAX_INFLIGHT_BYTES, secret: 'whsec_of_nobody' }
    const uploads = await Promise.all(Array.from({ length: 70 }, () => beginUpload(gateway.url, '{"id": "evt_', forgery)))

    const { status } = await deliver(gateway.url, buildEvent({ padding: 'x'.repeat(300_000) }))
    for (const upload of uploads) upload.giveUp()

    expect(status).toBe(202)
  })
})
