import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { Prisma } from '../../src/generated/prisma/client.ts'
import { describeError } from '../../src/platform/describe-error.ts'
import { callApi, type Json, waitForEvent } from '../helpers/api.ts'
import { scrape } from '../helpers/metrics.ts'
import { buildEvent, buildIntent, deliver } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { waitUntil } from '../helpers/wait-until.ts'

const CANARY = 'canary@example.com'

/** Fails as the event's metadata says, until the shop has mended it. */
const HANDLERS = `
const failures = {
  permanent: () => { throw Object.assign(new Error('this order was never ours'), { name: 'PermanentError' }) },
  program: (tx, { receipt_email }) => receipt_email.address.city,
  value: (tx, { receipt_email }) => tx.query('insert into shop_stock (amount) values ($1)', [receipt_email]),
  check: (tx) => tx.query('insert into shop_stock (amount) values (-1)'),
  transient: () => { throw new Error('the stock service is away') },
}
export async function onEvent(tx, { payload: { data: { object } } }) {
  const { rows } = await tx.query('select is_mended from shop_state')
  if (!rows[0].is_mended) await failures[object.metadata.fails]?.(tx, object)
}`

let folder: string
let gateway: TestGateway
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-handlers-'))
  await writeFile(join(folder, 'handlers.mjs'), HANDLERS)
  gateway = await startTestGateway({ env: { HANDLERS: join(folder, 'handlers.mjs'), JOB_RETRY_LIMIT: '3' } })
  await rows('create table shop_stock (amount int not null check (amount > 0))')
  await rows('create table shop_state as select false as is_mended')
})
afterAll(async () => {
  await gateway.stop()
  await rm(folder, { recursive: true })
})

const rows = async (sql: string, values: unknown[] = []): Promise<Json[]> => (await gateway.context.db.pool.query(sql, values)).rows

async function deliverFailing(fails: string): Promise<Json> {
  const event = buildEvent({
    object: buildIntent({ receipt_email: CANARY, client_secret: 'pi_1_secret_canary', metadata: { fails, order_id: `ord_${fails}` } }),
  })
  await deliver(gateway.url, event)
  return event
}

describe('an attempt that fails with an error that waiting does not mend', () => {
  it.each([
    ['permanent', 'PermanentError: this order was never ours'],
    ['value', 'DatabaseError 22P02: the database refused a statement or a value in it'],
    ['check', 'DatabaseError 23514: new row for relation "shop_stock" violates check constraint "shop_stock_amount_check"'],
  ])('is the last one (%s): the event is dead, and its job in the dead-letter queue', async (fails, error) => {
    const dead = await waitForEvent(gateway.url, (await deliverFailing(fails)).id)

    expect(dead).toMatchObject({ status: 'dead', reason: 'permanent_error', attempts: [{ attempt: 1, outcome: 'failed', error }] })
    const { message_id, correlation_id } = dead
    const select = `select name, state, data, output from sluice_queue.job where data->>'message_id' = $1 order by name`
    expect(await rows(select, [message_id])).toEqual([
      { name: 'dead-events', state: 'created', data: { message_id, correlation_id, causation_id: message_id }, output: null },
      {
        name: 'process-event',
        state: 'failed',
        data: { message_id, correlation_id, causation_id: message_id },
        output: { message: error },
      },
    ])
    expect(gateway.logs.filter(({ event, fields }) => event === 'event.died' && fields.message_id === message_id)).toMatchObject([
      { level: 'error', fields: { error, attempt: 1, correlation_id } },
    ])
    expect((await callApi(gateway.url, `/api/orders/ord_${fails}`)).status).toBe(404)
  })

  it('counts as a dead event', async () => {
    const before = (await scrape(gateway.url)).value('sluice_dead_events_total')

    await waitForEvent(gateway.url, (await deliverFailing('permanent')).id)

    expect((await scrape(gateway.url)).value('sluice_dead_events_total')).toBe(before + 1)
  })

  it('fails a replay, and leaves the event as it is', async () => {
    const { message_id } = await waitForEvent(gateway.url, (await deliverFailing('permanent')).id)

    const { body } = await callApi(gateway.url, `/api/events/${message_id}/replay`, { method: 'POST', body: '{"reason":"in vain"}' })
    const { replays, reason } = await waitUntil('the replay failed', async () => {
      const story = (await callApi(gateway.url, `/api/events/${message_id}`)).body
      return story.replays[0].status !== 'queued' && story
    })

    expect([replays, reason]).toMatchObject([[{ replay_id: body.replay_id, status: 'failed' }], 'permanent_error'])
    expect(gateway.logs.filter(({ event, fields }) => event === 'replay.failed' && fields.replay_id === body.replay_id)).toHaveLength(1)
  })
})

describe('an attempt that fails with any other error', () => {
  it.each([
    ['transient', 'Error: the stock service is away'],
    ['program', "TypeError: Cannot read properties of undefined (reading 'city') (handlers.mjs:4)"],
  ])('is followed by another (%s)', async (fails, error) => {
    const { id } = await deliverFailing(fails)

    const story = await waitUntil('two attempts failed', async () => {
      await deliver(gateway.url, buildEvent({ type: 'wake.up' }))
      const { body } = await callApi(gateway.url, `/api/events/${id}`)
      return body.attempts?.length >= 2 && body
    })

    expect(story.attempts[0]).toMatchObject({ attempt: 1, outcome: 'failed', error })
  })
})

describe('a redrive after the cause is mended', () => {
  it('processes every event that had a permanent error, each with attempts of its own again', async () => {
    await rows('update shop_state set is_mended = true')
    const dead = (await rows(`select message_id from sluice.webhook_events where status = 'dead'`)).map((row) => row.message_id)

    await callApi(gateway.url, '/api/dead/redrive', { method: 'POST', body: '{"reason":"mended","dry_run":false}' })

    expect(dead.length).toBeGreaterThanOrEqual(5)
    for (const id of dead) expect(await waitForEvent(gateway.url, id)).toMatchObject({ status: 'processed' })
    const redriven = `select distinct retry_limit from sluice_queue.job where name = 'process-event' and state = 'completed' and id <> all($1)
      and (data->>'message_id')::uuid = any($1)`
    expect(await rows(redriven, [dead])).toEqual([{ retry_limit: 3 }])
  })
})

describe('the payload of an event that failed', () => {
  it('stands in no log line, no attempt and no job', async () => {
    const errors = await rows('select error from sluice.event_attempts')
    const jobs = await rows('select data, output, source_output from sluice_queue.job')

    expect(gateway.logs.length).toBeGreaterThan(10)
    expect(JSON.stringify([gateway.logs, errors, jobs])).not.toContain('canary')
  })
})

describe('describeError of what the database refuses', () => {
  const failureOf = async (sql: string, values: unknown[] = []) =>
    describeError(await gateway.context.db.pool.query(sql, values).catch((error: unknown) => error))

  it.each([
    ['a value of another type', 'select $1::int', ['canary'], 'DatabaseError 22P02'],
    ['a date that is none', 'select $1::timestamptz', ['canary'], 'DatabaseError 22007'],
    ['JSON that is none', 'select $1::json', ['{canary'], 'DatabaseError 22P02'],
    ['SQL that is none', `select 'canary`, [], 'DatabaseError 42601'],
    [
      'a row that is there',
      `insert into shop_stock values (1); create unique index u on shop_stock ((amount + 0)); insert into shop_stock values (1)`,
      [],
      'DatabaseError 23505',
    ],
  ])('quotes nothing of %s', async (_what, sql, values, begin) => {
    const text = await failureOf(sql, values)

    expect(text.startsWith(`${begin}: `)).toBe(true)
    expect(text).not.toContain('canary')
  })

  it('names the constraint, the table and the column, and no value', async () => {
    await rows('create table shop_people (email text primary key, name text not null)')
    await rows('insert into shop_people values ($1, $1)', [CANARY])

    expect(await failureOf('insert into shop_people values ($1, $1)', [CANARY])).toBe(
      'DatabaseError 23505: duplicate key value violates unique constraint "shop_people_pkey"',
    )
    expect(await failureOf('insert into shop_people values ($1, null)', [`another-${CANARY}`])).toBe(
      'DatabaseError 23502: null value in column "name" of relation "shop_people" violates not-null constraint',
    )
  })

  it('keeps of Prisma the class and the code, and that of the database below', async () => {
    const { prisma } = gateway.context.db
    const raw = await prisma.$queryRaw(Prisma.sql`select ${'canary'}::int`).catch((error: unknown) => error)
    const invalid = await prisma.replay.findMany({ where: { replayId: { canary: 1 } } as Json }).catch((error: unknown) => error)

    expect(describeError(raw)).toBe('PrismaClientKnownRequestError P2010: the database client failed (SQLSTATE 22P02)')
    expect(describeError(invalid)).toBe('PrismaClientValidationError: the database client failed')
  })
})
