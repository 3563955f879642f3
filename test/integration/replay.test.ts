import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, getOrder, type Json, waitForEvent } from '../helpers/api.ts'
import { type RefusedOrders, refuseOrders } from '../helpers/refuse-orders.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway, VIEWER_TOKEN } from '../helpers/start-test-gateway.ts'
import { waitUntil } from '../helpers/wait-until.ts'

let gateway: TestGateway
let refused: RefusedOrders
beforeAll(async () => {
  gateway = await startTestGateway({ env: { JOB_RETRY_LIMIT: '0' } })
  refused = await refuseOrders(gateway.context.db.pool)
})
afterAll(() => gateway.stop())

const rows = async (sql: string, values: unknown[] = []): Promise<Json[]> => (await gateway.context.db.pool.query(sql, values)).rows
const post = (path: string, body: object, token?: string) =>
  callApi(gateway.url, path, { method: 'POST', body: JSON.stringify(body), ...(token && { token }) })

function waitForJob(jobId: string): Promise<Json> {
  return waitUntil(`job ${jobId} has its end`, async () => {
    const { body } = await callApi(gateway.url, `/api/jobs/${jobId}`)
    return (body.status === 'done' || body.status === 'failed') && body
  })
}

function buildPaid(orderId = uniqueId('ord')) {
  return { orderId, event: buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) }) }
}

async function deliverPaid(): Promise<{ orderId: string; story: Json }> {
  const { orderId, event } = buildPaid()
  await deliver(gateway.url, event)
  return { orderId, story: await waitForEvent(gateway.url, event.id) }
}

/** An event that fails its only attempt while its order is refused. */
async function deliverDead(): Promise<{ orderId: string; story: Json }> {
  const { orderId, event } = buildPaid()
  await refused.refuse(orderId)
  await deliver(gateway.url, event)
  return { orderId, story: await waitForEvent(gateway.url, event.id) }
}

async function deadJobsOf({ message_id }: Json): Promise<number> {
  return (await rows(`select 1 from sluice_queue.job where name = 'dead-events' and data->>'message_id' = $1`, [message_id])).length
}

describe('a replay of one event', () => {
  it('changes nothing when its facts are applied already, and says who asked and why', async () => {
    const { orderId, story } = await deliverPaid()
    const before = await getOrder(gateway.url, orderId)

    const { status, headers, body } = await post(`/api/events/${story.event_id}/replay`, { reason: 'to be sure' })

    expect(status).toBe(202)
    expect(headers.get('Location')).toBe(`/api/jobs/${body.job_id}`)
    expect(await waitForJob(body.job_id)).toMatchObject({
      kind: 'process_event',
      status: 'done',
      result: { message_id: story.message_id, replay_id: body.replay_id },
    })
    expect(await getOrder(gateway.url, orderId)).toEqual(before)
    const replayed = (await callApi(gateway.url, `/api/events/${story.message_id}`)).body
    expect(replayed.replays).toMatchObject([
      { replay_id: body.replay_id, kind: 'event', requested_by: 'olga', reason: 'to be sure', status: 'done' },
    ])
    expect(replayed).toMatchObject({ status: 'processed', reason: story.reason })
    expect((await callApi(gateway.url, `/api/replays/${body.replay_id}`)).body).toMatchObject({
      status: 'done',
      matched: 1,
      done: 1,
      failed: 0,
    })
  })

  it('processes a dead event once the reason is mended; history, logs and audit name the replay', async () => {
    const { orderId, story } = await deliverDead()
    expect(story).toMatchObject({ status: 'dead' })
    await refused.accept(orderId)

    const { body } = await post(`/api/events/${story.message_id}/replay`, { reason: 'mended' })
    await waitForJob(body.job_id)

    expect(await waitForEvent(gateway.url, story.message_id)).toMatchObject({ status: 'processed', reason: null })
    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'paid', history: [{ to: 'paid', replay_id: body.replay_id }] })
    expect(await deadJobsOf(story)).toBe(0)
    const line = gateway.logs.find(({ event, fields }) => event === 'event.processed' && fields.replay_id === body.replay_id)
    expect(line?.fields).toMatchObject({ message_id: story.message_id })
    const audit = (await callApi(gateway.url, '/api/audit?action=event.replayed&limit=1')).body.data[0]
    expect(audit).toMatchObject({ actor: 'olga', reason: 'mended', subject: { message_id: story.message_id, replay_id: body.replay_id } })
  })

  it('that fails leaves an event that had its effect as it is', async () => {
    const { orderId, story } = await deliverPaid()
    await rows(`update sluice.orders set status = 'pending' where order_id = $1`, [orderId])
    await rows(`delete from sluice.payment_objects where heard->'claim'->>2 = $1`, [orderId])
    await refused.refuse(orderId)

    const { body } = await post(`/api/events/${story.message_id}/replay`, { reason: 'to be sure' })

    expect(await waitForJob(body.job_id)).toMatchObject({ status: 'failed', error: expect.stringContaining('the order update is broken') })
    expect((await callApi(gateway.url, `/api/events/${story.message_id}`)).body).toMatchObject({
      status: 'processed',
      replays: [{ status: 'failed' }],
    })
    await refused.accept(orderId)
  })

  it.each([
    ['without a reason', '/api/events/evt_unknown/replay', {}, undefined, 400],
    ['of an unknown event', '/api/events/evt_unknown/replay', { reason: 'a' }, undefined, 404],
    ['by a viewer', '/api/events/evt_unknown/replay', { reason: 'a' }, VIEWER_TOKEN, 403],
  ])('is refused %s', async (_what, path, body, token, status) => {
    expect((await post(path, body, token)).status).toBe(status)
  })
})

describe('a replay of many events', () => {
  const type = uniqueId('many.events').replace('_', '.')
  beforeAll(async () => {
    const events = Array.from({ length: 5 }, () => buildEvent({ type }))
    await Promise.all(events.map((event) => deliver(gateway.url, event)))
    for (const { id } of events) await waitForEvent(gateway.url, id)
  })

  it('counts by type and status in a dry run, and queues nothing', async () => {
    const { status, body } = await post('/api/replays', { filter: { type }, reason: 'a', dry_run: true })

    expect({ status, body }).toEqual({ status: 200, body: { matched: 5, by_type: { [type]: 5 }, by_status: { ignored: 5 } } })
    expect(await rows(`select 1 from sluice.replays where kind = 'filter'`)).toEqual([])
  })

  it('comes to each event once, step by step, at its rate', async () => {
    const { status, body } = await post('/api/replays', { filter: { type }, reason: 'a', dry_run: false, rate_per_second: 2 })
    expect(status).toBe(202)

    expect(await waitForJob(body.job_id)).toMatchObject({ kind: 'replay', status: 'done' })
    const replay = (await callApi(gateway.url, `/api/replays/${body.replay_id}`)).body
    expect(replay).toMatchObject({ kind: 'filter', status: 'done', matched: 5, queued: 5, done: 5, failed: 0, requested_by: 'olga' })
    expect(replay.filter).toMatchObject({ type })
    const attempts = `select r.message_id from sluice.event_attempts a join sluice.event_replays r using (job_id) where r.replay_id = $1`
    expect(await rows(attempts, [body.replay_id])).toHaveLength(5)
  })

  it('queues no more once it is canceled, and cannot be canceled twice', async () => {
    const { body } = await post('/api/replays', { filter: { type }, reason: 'a', dry_run: false, rate_per_second: 1 })
    const path = `/api/replays/${body.replay_id}/cancel`

    expect(await post(path, { reason: 'a mistake' })).toMatchObject({ status: 200, body: { status: 'canceled' } })
    expect(await post(path, { reason: 'a mistake' })).toMatchObject({ status: 409, body: { code: 'replay_ended' } })

    const steps = `select 1 from sluice_queue.job where name = 'run-replay' and data->>'replay_id' = $1 and state in ('created', 'active')`
    await waitUntil('its last step is over', async () => (await rows(steps, [body.replay_id])).length === 0)
    expect((await callApi(gateway.url, `/api/replays/${body.replay_id}`)).body.queued).toBeLessThan(5)
  })
})

describe('a redrive', () => {
  it('brings dead events back, all or those that are named, and they are processed once', async () => {
    const dead = [await deliverDead(), await deliverDead()]
    const ids = dead.map(({ story }) => story.message_id)
    const [first] = dead as [{ orderId: string; story: Json }]
    expect((await post('/api/dead/redrive', { ids, reason: 'a', dry_run: true })).body).toMatchObject({
      matched: 2,
      by_status: { dead: 2 },
    })
    for (const { orderId } of dead) await refused.accept(orderId)

    const one = await post('/api/dead/redrive', { ids: ids.slice(0, 1), reason: 'mended', dry_run: false })
    expect(one.status).toBe(202)
    expect(await waitForJob(one.body.job_id)).toMatchObject({ status: 'done' })
    expect(await getOrder(gateway.url, first.orderId)).toMatchObject({ status: 'paid', history: [{ to: 'paid' }] })
    expect(await deadJobsOf(dead[1]?.story)).toBe(1)

    const rest = await post('/api/dead/redrive', { reason: 'mended', dry_run: false })
    expect(await waitForJob(rest.body.job_id)).toMatchObject({ status: 'done' })
    for (const { orderId, story } of dead) {
      expect(await waitForEvent(gateway.url, story.message_id)).toMatchObject({ status: 'processed' })
      expect((await getOrder(gateway.url, orderId)).history).toHaveLength(1)
    }
  })
})

describe('the audit', () => {
  it('cannot be rewritten', async () => {
    await deliverPaid().then(({ story }) => callApi(gateway.url, `/api/events/${story.event_id}/payload`))
    for (const statement of [`update sluice.audit_log set actor = 'nobody'`, 'delete from sluice.audit_log', 'truncate sluice.audit_log'])
      await expect(rows(statement)).rejects.toThrow('append-only')

    const { body } = await callApi(gateway.url, '/api/audit?action=payload.downloaded')
    expect(body.data).toMatchObject([{ actor: 'olga', reason: null, subject: { message_id: expect.any(String) } }])
  })
})
