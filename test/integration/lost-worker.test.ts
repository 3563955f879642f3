import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { QUEUES } from '../../src/events/event-jobs.ts'
import { buryDeadEvents } from '../../src/processing/bury-dead-events.ts'
import { callApi } from '../helpers/api.ts'
import { buildEvent, deliver } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'

describe('an event whose worker is lost at its last attempt', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ role: 'api' })
    await gateway.context.queue.updateQueue(QUEUES.processEvent, { retryLimit: 0 })
  })
  afterAll(() => gateway.stop())

  it('is dead, once, after the next look at the dead letters', async () => {
    const { queue } = gateway.context
    const event = buildEvent()
    await deliver(gateway.url, event)
    const [job] = await queue.fetch(QUEUES.processEvent)
    await queue.fail(QUEUES.processEvent, job?.id ?? '', { message: 'job heartbeat timeout' })

    const buried = [await buryDeadEvents(gateway.context), await buryDeadEvents(gateway.context)]

    expect(buried).toEqual([1, 0])
    const { body } = await callApi(gateway.url, `/api/events/${event.id}`)
    expect(body).toMatchObject({ status: 'dead', reason: 'worker_lost' })
    expect(gateway.logs.filter((line) => line.event === 'event.died')).toHaveLength(1)
  })
})
