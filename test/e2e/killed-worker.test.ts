import { expect, it } from '@jest/globals'
import { callApi, getOrder, waitForEvent } from '../helpers/api.ts'
import { holdLocks } from '../helpers/disturb-database.ts'
import { waitForGateway } from '../helpers/run-program.ts'
import { migrateForQuickRetries, serveOnDatabase } from '../helpers/serve-on-database.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway } from '../helpers/start-test-gateway.ts'
import { waitUntil } from '../helpers/wait-until.ts'

// docs/nfr.md says 20 s, and the retry waits for 1 s here; the rest is for a machine that is busy with others.
const RESUMED_WITHIN_MS = 60_000

it('the job of a worker that is killed in the middle of it is resumed by another, and has one effect', async () => {
  const gateway = await startTestGateway({ role: 'api' })
  const { database } = gateway
  const worker = { databaseUrl: database.url, role: 'worker' } as const
  await migrateForQuickRetries(worker)
  await using killed = await waitForGateway(serveOnDatabase(worker))
  const orderId = uniqueId('ord')
  const event = buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) })
  const locks = await holdLocks(database, 'lock table sluice.orders in exclusive mode')
  const { job_id: jobId } = (await deliver(gateway.url, event)).body
  const isRunning = async () => (await callApi(gateway.url, `/api/jobs/${jobId}`)).body.status === 'running'
  await waitUntil('the job runs', isRunning)

  killed.signal('SIGKILL')
  await killed.ended
  await locks.release()
  await using other = await waitForGateway(serveOnDatabase(worker))

  await waitUntil('the job has been taken back', async () => !(await isRunning()), RESUMED_WITHIN_MS)
  expect(await waitForEvent(gateway.url, event.id)).toMatchObject({
    status: 'processed',
    attempts: [{ attempt: 2, outcome: 'succeeded' }],
  })
  const order = await getOrder(gateway.url, orderId)
  expect(order).toMatchObject({ status: 'paid', paid_minor: 2000 })
  expect(order.history).toHaveLength(1)
  expect(other.hasEnded()).toBe(false)
  await gateway.stop()
})
