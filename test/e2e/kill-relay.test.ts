import { describe, expect, it } from '@jest/globals'
import { callApi } from '../helpers/api.ts'
import { startReceiver, telling } from '../helpers/message-receiver.ts'
import { waitForGateway } from '../helpers/run-program.ts'
import { type ServeOptions, serveOnDatabase } from '../helpers/serve-on-database.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { waitUntil } from '../helpers/wait-until.ts'

const ORDERS = 60
const MESSAGES_EACH = 4
// So many have arrived when a worker is killed.
const KILL_AT = [10, 80, 150]

describe('a worker that is killed while it sends order messages', () => {
  it('loses none, and each order still gets them in sequence', async () => {
    await using receiver = await startReceiver()
    const env = { ...telling(receiver), ORDER_WEBHOOK_TIMEOUT_MS: '1000' }
    const api = await startTestGateway({ role: 'api', env })
    try {
      const orderIds = Array.from({ length: ORDERS }, (_, index) => `ord_${index}`)
      await Promise.all(orderIds.map((orderId) => changeOrder(api, orderId)))
      const options = { databaseUrl: api.database.url, role: 'worker', env } as const
      for (const count of KILL_AT) await serveAndKill(options, () => receiver.received.length >= count)
      await using _last = await waitForGateway(serveOnDatabase(options))

      const isTaken = () => orderIds.every((orderId) => receiver.taken(orderId).some(({ sequence }) => sequence === MESSAGES_EACH))
      await waitUntil('every order has had its last message', isTaken)

      for (const orderId of orderIds) {
        const sequences = receiver.taken(orderId).map(({ sequence }) => sequence)
        expect(sequences).toEqual(sequences.toSorted())
        expect([...new Set(sequences)]).toEqual([1, 2, 3, 4])
      }
      const ids = new Set(receiver.received.map(({ message }) => message.id))
      expect(ids.size).toBe(ORDERS * MESSAGES_EACH)
    } finally {
      await api.stop()
    }
  })
})

async function changeOrder(gateway: TestGateway, orderId: string): Promise<void> {
  for (let amount = 1; amount <= MESSAGES_EACH; amount += 1) {
    const body = JSON.stringify({ currency: 'USD', expected_minor: amount, replace: true, reason: 'a test' })
    await callApi(gateway.url, `/api/orders/${orderId}`, { method: 'PUT', body })
  }
}

async function serveAndKill(options: ServeOptions, isTime: () => boolean): Promise<void> {
  await using program = serveOnDatabase(options)
  const worker = await waitForGateway(program)
  await waitUntil('it is time to kill', isTime)
  worker.signal('SIGKILL')
  expect(await worker.ended).toBe('SIGKILL')
}
