import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { loadHandlers } from '../../src/handlers.ts'
import { callApi, type Json, waitForEvent } from '../helpers/api.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { waitUntil } from '../helpers/wait-until.ts'

const EXAMPLE = fileURLToPath(new URL('../../examples/update-own-orders/', import.meta.url))

let gateway: TestGateway
const rows = async (sql: string, values: unknown[] = []): Promise<Json[]> => (await gateway.context.db.pool.query(sql, values)).rows

describe('the example that updates the shop’s own orders', () => {
  beforeAll(async () => {
    gateway = await startTestGateway({ env: { HANDLERS: join(EXAMPLE, 'handlers.mjs'), JOB_RETRY_LIMIT: '3' } })
    await rows(readFileSync(join(EXAMPLE, 'schema.sql'), 'utf8'))
  })
  afterAll(() => gateway.stop())

  const ownOrder = (orderId: string) => rows('select status, paid_minor::int, sequence from shop_orders where order_id = $1', [orderId])

  it('has them in the commit that changed ours, by an event or a registration', async () => {
    const orderId = uniqueId('ord')
    const event = buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) })
    await deliver(gateway.url, event)
    await waitForEvent(gateway.url, event.id)
    expect(await ownOrder(orderId)).toEqual([{ status: 'paid', paid_minor: 2000, sequence: 1 }])

    const body = JSON.stringify({ currency: 'USD', expected_minor: 5000 })
    await callApi(gateway.url, `/api/orders/${orderId}`, { method: 'PUT', body })

    expect(await ownOrder(orderId)).toEqual([{ status: 'partially_paid', paid_minor: 2000, sequence: 2 }])
  })

  it('hears of events that have nothing to do with money', async () => {
    const event = buildEvent({ type: 'customer.deleted', object: { id: uniqueId('cus'), object: 'customer' } })
    await deliver(gateway.url, event)
    await waitForEvent(gateway.url, event.id)

    expect(await rows('select event_id from shop_deleted_customers')).toEqual([{ event_id: event.id }])
  })

  it('fails the attempt when it throws, and neither table has changed until it works', async () => {
    const orderId = uniqueId('ord')
    await rows('alter table shop_orders rename to shop_orders_away')
    const event = buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) })
    await deliver(gateway.url, event)
    await waitUntil('an attempt failed', async () => (await callApi(gateway.url, `/api/events/${event.id}`)).body.attempts?.length > 0)
    expect((await callApi(gateway.url, `/api/orders/${orderId}`)).status).toBe(404)

    await rows('alter table shop_orders_away rename to shop_orders')

    expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ status: 'processed' })
    expect(await ownOrder(orderId)).toEqual([{ status: 'paid', paid_minor: 2000, sequence: 1 }])
  })
})

describe('HANDLERS', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-handlers-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.each([
    ['is not there', undefined, /^HANDLERS: the module cannot be loaded/],
    ['exports none of the names', 'export const other = 1', /^HANDLERS: the module exports neither/],
    ['exports something else under a name', 'export const onEvent = 1', /^HANDLERS: onEvent is not a function/],
  ])('stops the start by name when the module %s', async (what, text, problem) => {
    const file = join(folder, `${what.replaceAll(' ', '-')}.mjs`)
    if (text !== undefined) await writeFile(file, text)

    await expect(loadHandlers(file)).rejects.toThrow(problem)
  })
})
