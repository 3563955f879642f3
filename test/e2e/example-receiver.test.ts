import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { callApi, waitForEvent } from '../helpers/api.ts'
import { MESSAGE_SECRET, telling } from '../helpers/message-receiver.ts'
import { type Program, ROOT, runProgram } from '../helpers/run-program.ts'
import { buildEvent, buildIntent, deliver } from '../helpers/signed-webhook.ts'
import { startTestGateway } from '../helpers/start-test-gateway.ts'
import { waitUntil } from '../helpers/wait-until.ts'

function startExample(): Program {
  const file = join(ROOT, 'examples/receive-order-messages/receiver.mjs')
  return runProgram(process.execPath, [file], { env: { ORDER_WEBHOOK_SECRET: MESSAGE_SECRET, PORT: '0' } })
}

const findUrl = (example: Program) => waitUntil('the example listens', () => /http:\/\/\S+/.exec(example.output())?.[0])

describe('examples/receive-order-messages', () => {
  it('takes what a gateway sends, and drops what comes again or late', async () => {
    await using example = startExample()
    const url = await findUrl(example)
    const gateway = await startTestGateway({ env: telling({ url }) })
    const event = buildEvent({ object: buildIntent({ metadata: { order_id: 'ord_1' } }) })
    await callApi(gateway.url, '/api/orders/ord_1', { method: 'PUT', body: JSON.stringify({ currency: 'USD', expected_minor: 2000 }) })
    await deliver(gateway.url, event)
    await waitForEvent(gateway.url, event.id)
    await waitUntil('it is told', () => example.output().includes('ord_1 is paid: 20.00 USD paid, 0.00 USD refunded'))

    const { rows } = await gateway.context.db.pool.query(
      `update sluice.message_dispatches set status = 'dead' where sequence = 1 returning message_id`,
    )
    const resend = { method: 'POST', body: JSON.stringify({ reason: 'a test' }) }
    await callApi(gateway.url, `/api/messages/${rows[0].message_id}/resend`, resend)
    await waitUntil('it is told again', () => example.output().includes('ord_1 order.updated: had it before'))
    await gateway.stop()

    expect(example.output()).toContain('ord_1 is pending: 0.00 USD paid, 0.00 USD refunded')
  })

  it('refuses what is not signed', async () => {
    await using example = startExample()
    const url = await findUrl(example)

    const headers = { 'webhook-id': 'a', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)), 'webhook-signature': 'v1,aaaa' }
    const answers = [await fetch(url, { method: 'POST', body: '{}' }), await fetch(url, { method: 'POST', body: '{}', headers })]

    expect(answers.map(({ status }) => status)).toEqual([401, 401])
    expect(example.output()).toMatch(/^Listening on \S+\n$/)
  })
})
