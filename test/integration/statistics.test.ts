import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, type Json, waitForEvent } from '../helpers/api.ts'
import { type RefusedOrders, refuseOrders } from '../helpers/refuse-orders.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { waitUntil } from '../helpers/wait-until.ts'

let gateway: TestGateway
let refused: RefusedOrders
beforeAll(async () => {
  gateway = await startTestGateway({ env: { JOB_RETRY_LIMIT: '0' } })
  refused = await refuseOrders(gateway.context.db.pool)
})
afterAll(() => gateway.stop())

async function deliverPaid(orderId: string): Promise<Json> {
  const event = buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) })
  await deliver(gateway.url, event)
  return waitForEvent(gateway.url, event.id)
}

const read = async (range: string, url = gateway.url): Promise<Json> => (await callApi(url, `/api/statistics?range=${range}`)).body
const sum = (points: Json[], field: string) => points.reduce((total, point) => total + point[field], 0)

describe('GET /api/statistics', () => {
  it('tells the jobs that were made and done, and the events that died, also to a process that does not work', async () => {
    const broken = uniqueId('ord')
    await refused.refuse(broken)
    await deliverPaid(uniqueId('ord'))
    await deliverPaid(broken)
    const api = await startTestGateway({ role: 'api', database: gateway.database })

    const statistics = await waitUntil('a worker has counted', async () => {
      const { body } = await callApi(api.url, '/api/statistics')
      return sum(body.jobs, 'created') === 2 && sum(body.jobs, 'completed') === 1 && body
    })

    expect(sum(statistics.jobs, 'failed')).toBe(1)
    expect(statistics.unsettled).toMatchObject([{ parked: 0, dead: 1 }])
    expect(statistics.now).toMatchObject({ dead_events: 1, parked_events: 0, accepting: true, max_depth: 100_000 })
    expect(statistics.instances).toContainEqual(expect.objectContaining({ role: 'all', pid: process.pid, quiet: false }))
    await api.stop()
  })

  it.each([
    ['hour', 60],
    ['day', 900],
    ['week', 7200],
  ])('divides the last %s into spans of %i s, the first of them whole', async (range, seconds) => {
    const { bucket_seconds, from, unsettled } = await read(range)

    expect(bucket_seconds).toBe(seconds)
    expect(Date.parse(from) % (seconds * 1000)).toBe(0)
    expect(unsettled).toMatchObject([{ dead: 1 }])
    expect(Date.parse(unsettled[0].at) % (seconds * 1000)).toBe(0)
  })
})
