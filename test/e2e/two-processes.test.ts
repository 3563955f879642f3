import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { connectTo, expectExactlyOnce, listProcessedOnce, waitUntilProcessed } from '../helpers/expect-exactly-once.ts'
import { startPaymentLoad } from '../helpers/payment-load.ts'
import { seededRandom } from '../helpers/random.ts'
import { type GatewayProcess, type Program, waitForGateway } from '../helpers/run-program.ts'
import { serveOnDatabase } from '../helpers/serve-on-database.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { createTestDatabase, type TestDatabase } from '../helpers/test-database.ts'
import { waitUntil } from '../helpers/wait-until.ts'

const EVENTS = 20
const COPIES = 20

describe('two gateway processes on one database', () => {
  let database: TestDatabase
  let programs: [Program, Program]
  let gateways: [GatewayProcess, GatewayProcess]
  beforeEach(async () => {
    database = await createTestDatabase()
    programs = [serveOnDatabase({ databaseUrl: database.url }), serveOnDatabase({ databaseUrl: database.url })]
    gateways = await Promise.all([waitForGateway(programs[0]), waitForGateway(programs[1])])
  })
  afterEach(async () => {
    for (const program of programs) await program[Symbol.asyncDispose]()
    await database.drop()
  })

  it('accept each event once, however many copies arrive at both at once', async () => {
    await using connection = await connectTo(database.url)
    const events = Array.from({ length: EVENTS }, () => buildEvent({ object: buildIntent({ metadata: { order_id: uniqueId('ord') } }) }))
    const copies = Array.from({ length: COPIES }, (_, copy) => events.map((event) => ({ event, url: urlOf(copy) }))).flat()

    const answers = await Promise.all(copies.map(({ event, url }) => deliver(url, event)))

    expect(answers.filter(({ status }) => status === 202)).toHaveLength(EVENTS)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(EVENTS * (COPIES - 1))
    const accepted = answers.filter(({ status }) => status === 202).map(({ body }) => body.event_id)
    expect(accepted.sort()).toEqual(events.map(({ id }) => id).sort())
    expect(new Set(answers.map(({ body }) => body.message_id)).size).toBe(EVENTS)
    await waitUntilProcessed(connection)
    expect((await listProcessedOnce(connection, { copies: COPIES })).sort()).toEqual(events.map(({ id }) => id).sort())
  })

  it('lose nothing when one is asked to stop under load', async () => {
    await using connection = await connectTo(database.url)
    const load = startPaymentLoad({ urls: gateways.map(({ url }) => url), random: seededRandom(1) })
    try {
      await waitUntil('the load runs', () => load.answered.size > 200)

      gateways[0].signal('SIGTERM')

      expect(await gateways[0].ended).toBe(0)
      const answeredBefore = load.answered.size
      await waitUntil('the other goes on', () => load.answered.size > answeredBefore + 200)
    } finally {
      await load.stop()
    }
    await waitUntilProcessed(connection)
    expect(gateways[0].output()).toContain('"event":"shutdown.finished"')
    await expectExactlyOnce(connection, load)
  })

  function urlOf(copy: number): string {
    return gateways[copy % 2 === 0 ? 0 : 1].url
  }
})
