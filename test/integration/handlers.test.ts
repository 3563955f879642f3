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

describe('a handler', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-handlers-'))
    const file = join(folder, 'handlers.mjs')
    await writeFile(
      file,
      `class PermanentError extends Error { name = 'PermanentError' }
      export async function onEvent(tx, event) {
        if (event.type === 'never.ours') throw new PermanentError('never ours: anna@example.com')
        if (event.type === 'bad.value') await tx.query('select $1::int', [event.payload.data.object.secret])
      }`,
    )
    gateway = await startTestGateway({ env: { HANDLERS: file, JOB_RETRY_LIMIT: '12' } })
  })
  afterAll(async () => {
    await gateway.stop()
    await rm(folder, { recursive: true })
  })

  it.each([
    ['says that no attempt can help', 'never.ours', 'PermanentError: never ours: [removed]'],
    ['has a value that the database does not take', 'bad.value', 'DatabaseError 22P02: the database refused a statement or a value in it'],
  ])('that %s makes the event dead at once, though attempts are left', async (_what, type, error) => {
    const event = buildEvent({ type, object: { id: uniqueId('obj'), secret: 'pi_1_secret_canary' } })
    await deliver(gateway.url, event)

    const story = await waitForEvent(gateway.url, event.id)

    expect(story).toMatchObject({ status: 'dead', reason: 'permanent_error', attempts: [{ attempt: 1, outcome: 'failed', error }] })
    const dead = await rows(`select output from sluice_queue.job where name = 'dead-events' and data->>'message_id' = $1`, [
      story.message_id,
    ])
    expect(dead).toHaveLength(1)
    expect(JSON.stringify([dead, gateway.logs])).not.toMatch(/canary|anna@/)
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
