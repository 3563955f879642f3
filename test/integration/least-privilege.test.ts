import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { callApi, waitForEvent } from '../helpers/api.ts'
import { buildEvent, deliver } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { createTestDatabase, type TestDatabase } from '../helpers/test-database.ts'

const ROLE = 'sluice_app_of_the_docs'
const docs = readFileSync(new URL('../../docs/deploying.md', import.meta.url), 'utf8')
const grants = docs.match(/^ {4}(?:grant|revoke) .+;$/gm) ?? []

describe('the grants of docs/deploying.md', () => {
  let database: TestDatabase
  let gateway: TestGateway
  let owner: pg.Client
  beforeAll(async () => {
    database = await createTestDatabase()
    owner = new pg.Client({ connectionString: database.url })
    await owner.connect()
    await owner.query(`create role ${ROLE} login password 'app'`)
    for (const grant of grants) await owner.query(grant.replace(/\bapp;$/, `${ROLE};`))
    const url = new URL(database.url)
    Object.assign(url, { username: ROLE, password: 'app' })
    gateway = await startTestGateway({ database: { ...database, url: url.href } })
  })
  afterAll(async () => {
    await gateway.stop()
    await owner.query(`drop owned by ${ROLE}`)
    await owner.query(`drop role ${ROLE}`)
    await owner.end()
    await database.drop()
  })

  it('suffice to receive, process and replay', async () => {
    expect(grants).toHaveLength(5)
    const event = buildEvent()
    expect((await deliver(gateway.url, event)).status).toBe(202)
    expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ status: 'processed' })

    const body = JSON.stringify({ reason: 'to be sure' })
    expect((await callApi(gateway.url, `/api/events/${event.id}/replay`, { method: 'POST', body })).status).toBe(202)
    expect((await callApi(gateway.url, '/api/audit')).body.data).toHaveLength(1)
  })

  it.each([`update sluice.audit_log set actor = 'nobody'`, 'delete from sluice.audit_log', 'truncate sluice.audit_log'])(
    'do not suffice for %s',
    async (statement) => {
      await expect(gateway.context.db.pool.query(statement)).rejects.toThrow('permission denied')
    },
  )
})
