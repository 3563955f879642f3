import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type ApiAnswer, callApi, type Json } from '../helpers/api.ts'
import { createCanaries, findCanaries } from '../helpers/canaries.ts'
import { beginOutage } from '../helpers/disturb-database.ts'
import { type EchoingReceiver, startEchoingReceiver } from '../helpers/echoing-receiver.ts'
import { connectTo } from '../helpers/expect-exactly-once.ts'
import { shopSchema, ways } from '../helpers/leaking-handlers.ts'
import { createFolder, type GatewayProcess, runSluice, waitForGateway } from '../helpers/run-program.ts'
import { type Answer, buildEvent, buildIntent, deliver, post, sign, uniqueId } from '../helpers/signed-webhook.ts'
import { createTestDatabase, runOn, type TestDatabase } from '../helpers/test-database.ts'
import { waitUntil } from '../helpers/wait-until.ts'

const canaries = createCanaries()
const role = uniqueId('role')
const HANDLERS = fileURLToPath(new URL('../helpers/leaking-handlers.ts', import.meta.url))

let database: TestDatabase
let receiver: EchoingReceiver
let env: Record<string, string>
let gateway: GatewayProcess
/** What each test looks at: every answer that was given, with its head, and the log lines since it began. */
let answers: string[] = []
let logged = 0

beforeAll(async () => {
  database = await createTestDatabase()
  receiver = await startEchoingReceiver(JSON.stringify(canaries))
  await runOn(database.url, `create role ${role} superuser login password '${canaries.databasePassword}'; ${shopSchema}`)
  const url = new URL(database.url)
  Object.assign(url, { username: role, password: canaries.databasePassword })
  env = {
    DATABASE_URL: url.href,
    HOST: '127.0.0.1',
    PORT: '0',
    STRIPE_WEBHOOK_SECRETS: `main=${canaries.signingSecret}`,
    OPERATOR_TOKENS: `olga=${canaries.operatorToken}`,
    SHOP_TOKENS: `shop=${canaries.shopToken}`,
    METRICS_TOKEN: canaries.metricsToken,
    ORDER_WEBHOOK_URLS: `${receiver.url}?key=${canaries.receiverKey}`,
    ORDER_WEBHOOK_SECRET: canaries.messageSecret,
    ORDER_WEBHOOK_GIVE_UP_SECONDS: '3',
    HANDLERS,
    JOB_RETRY_LIMIT: '0',
    COMMIT_TIMEOUT_MS: '1000',
    LOG_LEVEL: 'debug',
    LOG_FORMAT: 'json',
  }
  gateway = await waitForGateway(runSluice(['serve'], { env }))
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
  await database.drop()
  await runOn(process.env.TEST_POSTGRES_URL ?? '', `drop role ${role}`)
})
beforeEach(() => {
  answers = []
  logged = gateway.output().length
})
afterEach(() => {
  expect(findLeaks(gateway.output().slice(logged))).toEqual([])
  expect(findLeaks(answers.join('\n'))).toEqual([])
})

/** The lines that hold a canary; what they hold is named, and the beginning tells which line it is. */
function findLeaks(output: string): string[] {
  return output.split('\n').flatMap((line) => {
    const found = findCanaries(canaries, line)
    return found.length > 0 ? [`${found.join()} in ${line.slice(0, 200)}`] : []
  })
}

/** A payment that holds the e-mail and the client secret, signed with the right secret unless told otherwise. */
function buildPaid(metadata: Record<string, string> = {}, id = uniqueId('evt')) {
  const { email, clientSecret } = canaries
  const object = buildIntent({ receipt_email: email, client_secret: clientSecret, description: `for ${email}`, metadata })
  return buildEvent({ id, object, note: { email, clientSecret } })
}

function keep<Kept extends Answer | ApiAnswer>(answer: Kept): Kept {
  answers.push(JSON.stringify([answer.body, ...answer.headers]))
  return answer
}

async function send(event: object | string, secret = canaries.signingSecret): Promise<number> {
  return keep(await deliver(gateway.url, event, { secret })).status
}

function call(path: string, { token = canaries.operatorToken, ...init }: RequestInit & { token?: string } = {}): Promise<ApiAnswer> {
  return callApi(gateway.url, path, { token, ...init }).then(keep)
}

function postTo(path: string, body: unknown, token = canaries.operatorToken): Promise<ApiAnswer> {
  return call(path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), token })
}

describe('no e-mail, secret, token or password is in a log line or an answer when', () => {
  it('a delivery is forged or cannot be read', async () => {
    const body = JSON.stringify(buildPaid())
    const deep = `{"id":"evt_1","type":${JSON.stringify(canaries.email)},"x":${'['.repeat(200_000)}`
    const forgeries = [
      await post(gateway.url, body, { 'Stripe-Signature': sign(body, { secret: canaries.wrongSecret }) }),
      await post(gateway.url, body, { 'Stripe-Signature': `t=1,v1=${canaries.signingSecret}`, 'User-Agent': canaries.email }),
      await post(gateway.url, `${body} `, { 'Stripe-Signature': sign(body, { secret: canaries.signingSecret }) }),
      await post(gateway.url, body, { 'Stripe-Signature': sign(body), 'Content-Encoding': canaries.email }),
      await post(gateway.url, body, { 'Stripe-Signature': sign(body, { secret: canaries.signingSecret, timestamp: 1 }) }),
      await post(gateway.url, body, {}),
    ]
    forgeries.forEach(keep)

    expect(forgeries.map(({ status }) => status)).toEqual([400, 400, 400, 415, 400, 400])
    for (const invalid of [body.slice(0, -1), deep, JSON.stringify([canaries]), JSON.stringify({ ...canaries, id: canaries.email })])
      expect(await send(invalid)).toBe(400)
    expect(await send(`${body}${' '.repeat(1_100_000)}`)).toBe(413)
  })

  it('the database refuses to store an event', async () => {
    await runOn(
      database.url,
      `alter table sluice.webhook_events add constraint refused check (event_id not like 'evt_check%');
       create function sluice.refuse_body() returns trigger language plpgsql as $$
         declare content jsonb := convert_from(new.body, 'UTF8')::jsonb;
       begin
         if content->>'id' like 'evt_raise%' then raise exception 'refused %', content using detail = content; end if;
         if content->>'id' like 'evt_value%' then perform (content->'data'->'object'->>'receipt_email')::int; end if;
         return new;
       end $$;
       create trigger refuse_body before insert on sluice.event_bodies for each row execute function sluice.refuse_body()`,
    )

    const statuses = await Promise.all(['check', 'raise', 'value'].map((way) => send(buildPaid({}, uniqueId(`evt_${way}`)))))

    expect(statuses).toEqual([503, 503, 503])
  })

  it('the database is away', async () => {
    const outage = await beginOutage(database)

    const status = await send(buildPaid())
    const asked = await call('/api/events')
    const readiness = await waitUntil('it is unready', async () => {
      const answer = await call('/readyz')
      return answer.status === 503 ? answer : undefined
    })
    await outage.end()

    expect([status, asked.status, readiness.status]).toEqual([503, 500, 503])
    await waitUntil('it is ready again', async () => (await call('/readyz')).status === 200)
  })

  it.each(ways)('processing fails for good, is replayed and fails again: %s', async (way) => {
    const event = buildPaid({ way })
    expect(await send(event)).toBe(202)
    expect(await waitForEnd(event.id)).toMatchObject({ status: 'dead', attempts: [{ outcome: 'failed', error: expect.any(String) }] })

    const replay = await postTo(`/api/events/${event.id}/replay`, { reason: 'a doubt' })
    const job = await waitUntil('the replay has failed', async () => {
      const { body } = await call(`/api/jobs/${replay.body.job_id}`)
      return body.status === 'failed' && body
    })

    expect(job.error).toEqual(expect.any(String))
  })

  it('the answer to an operator is a problem', async () => {
    const { email, clientSecret, wrongToken } = canaries
    const event = buildPaid()
    await send(event)
    const paths = [
      `/api/events/${email}`,
      `/api/orders/${clientSecret}`,
      `/api/jobs/${email}`,
      `/api/${clientSecret}`,
      `/webhooks/${email}`,
    ]
    const queries = [
      `/api/events?${email}=1`,
      `/api/orders?status=${email}`,
      `/api/audit?cursor=${clientSecret}`,
      `/api/search?limit=${email}`,
    ]
    const refused = [
      ...(await Promise.all([...paths, ...queries].map((path) => call(path)))),
      await call('/api/events', { token: wrongToken }),
      await call('/metrics', { token: wrongToken }),
      await postTo('/api/replays', { filter: {}, reason: email, dry_run: false }, canaries.shopToken),
      await postTo(`/api/events/${event.id}/replay`, { [email]: clientSecret }),
      await postTo(`/api/events/${event.id}/replay`, { reason: { [email]: clientSecret } }),
      await postTo(`/api/events/${event.id}/replay`, `{"reason":${email}`),
      await postTo('/api/replays', { filter: { [email]: clientSecret, status: email }, reason: 'a', dry_run: true }),
      await postTo('/api/dead/redrive', { ids: [email], reason: 'a', dry_run: true }),
      await postTo(`/api/payments/stripe/${clientSecret}/link`, { order_id: email, reason: clientSecret }),
      await putOrder(uniqueId('ord'), { metadata: { [email]: { [clientSecret]: email } } }),
      await putOrder('refused', { metadata: { email, clientSecret } }),
    ]

    for (const { status, headers } of refused)
      expect([status, headers.get('content-type')]).toEqual([expect.any(Number), expect.stringMatching(/^application\/problem\+json/)])
  })

  it('a receiver refuses an order message and sends back what it was told', async () => {
    const event = buildPaid({ order_id: uniqueId('ord') })
    await send(event)
    const { order_ids } = await waitForEnd(event.id)

    const dead = await waitUntil('the message is dead', async () => {
      const { body } = await call(`/api/messages?order_id=${order_ids[0]}&status=dead`)
      return body.data[0]
    })

    expect(receiver.refused()).toBeGreaterThan(1)
    expect(dead.dispatches[0].last_error).toEqual(expect.any(String))
  })

  function putOrder(orderId: string, more: object): Promise<ApiAnswer> {
    return call(`/api/orders/${orderId}`, { method: 'PUT', body: JSON.stringify({ currency: 'EUR', expected_minor: 1, ...more }) })
  }

  /** The event's story shows the e-mail as what it is found by; nothing else of it may. */
  async function waitForEnd(id: string): Promise<Json> {
    const story = await waitUntil(`${id} has its end`, async () => {
      const { body } = await callApi(gateway.url, `/api/events/${id}`, { token: canaries.operatorToken })
      return body.status !== undefined && body.status !== 'received' && body
    })
    const { references, ...rest } = story
    expect(references).toContainEqual({ kind: 'email', value: canaries.email })
    answers.push(JSON.stringify(rest))
    return story
  }
})

describe('no e-mail, secret, token or password is in', () => {
  // What was received and configured is kept, to be shown to who may see it.
  const KEPT = ['event_bodies', 'event_references', 'order_messages', 'dispatch_lanes']
  const columns = (table: string) => (table === 'message_dispatches' ? 'last_error' : 'kept.*')

  it('any other row of the database', async () => {
    await using connection = await connectTo(database.url)
    const tables = `select table_schema as schema, table_name as name from information_schema.tables where table_schema in ('sluice', 'sluice_queue')`
    const { rows } = await connection.query(tables)
    const found: string[] = []
    for (const { schema, name } of rows.filter((table) => !KEPT.includes(table.name))) {
      const read = await connection.query(`select (${columns(name)})::text as row from ${schema}.${name} kept`)
      found.push(...read.rows.flatMap(({ row }) => findLeaks(`${name} ${row}`)))
    }

    expect(rows.length).toBeGreaterThan(KEPT.length + 10)
    expect(found).toEqual([])
  })

  it('a metric', async () => {
    const { status, body } = await call('/metrics', { token: canaries.metricsToken })

    expect(status).toBe(200)
    expect(body).toMatch(/^sluice_dead_events_total [1-9]/m)
  })

  it('what show prints of an event that failed, but the e-mail that it is found by', async () => {
    const event = buildPaid({ way: 'message' })
    await send(event)
    const shown = await waitUntil('it is dead', async () => {
      await using program = runSluice(['show', event.id], { env: { ...env, PUBLIC_URL: gateway.url } })
      expect(await program.ended).toBe(0)
      return /^ +status +dead/m.test(program.output()) ? program.output() : undefined
    })

    expect(shown).toMatch(/^ +attempt 1 +failed/m)
    expect(findLeaks(shown)).toEqual([expect.stringMatching(new RegExp(`^email in +email +${canaries.email}$`))])
  })

  it('what show prints when the gateway refuses it', async () => {
    await using program = runSluice(['show', 'evt_1'], {
      env: { ...env, PUBLIC_URL: gateway.url, OPERATOR_TOKENS: `olga=${canaries.wrongToken}` },
    })

    expect(await program.ended).toBe(1)
    expect(program.output()).toContain('401')
    expect(findLeaks(program.output())).toEqual([])
  })
})

describe('a start that fails names what is wrong, and shows no secret, when', () => {
  const { databasePassword, apiKey, clientSecret, email, operatorToken } = canaries
  let folder: Awaited<ReturnType<typeof createFolder>>
  beforeAll(async () => {
    folder = await createFolder()
    await writeFile(
      join(folder.path, 'throwing.mjs'),
      `throw new Error('No mail to ${email}, no answer from postgresql://shop:${databasePassword}@127.0.0.1/shop')`,
    )
  })
  afterAll(async () => folder[Symbol.asyncDispose]())
  const withUser = (user: string) => env.DATABASE_URL?.replace(/\/\/.*@/, `//${user}@`) ?? ''
  it.each<[string, string, () => Record<string, string>]>([
    ['an API key stands for a signing secret', 'STRIPE_WEBHOOK_SECRETS', () => ({ STRIPE_WEBHOOK_SECRETS: `main=${apiKey}` })],
    ['a secret has a space', 'STRIPE_WEBHOOK_SECRETS', () => ({ STRIPE_WEBHOOK_SECRETS: `${canaries.signingSecret} ${clientSecret}` })],
    ['a token has a space', 'OPERATOR_TOKENS', () => ({ OPERATOR_TOKENS: `olga=${operatorToken} ${operatorToken}` })],
    ['a token has an e-mail for a name', 'OPERATOR_TOKENS', () => ({ OPERATOR_TOKENS: `${email}=${operatorToken}` })],
    ['a message secret is cut', 'ORDER_WEBHOOK_SECRET', () => ({ ORDER_WEBHOOK_SECRET: canaries.messageSecret.slice(7) })],
    ['a receiver has a password', 'ORDER_WEBHOOK_URLS', () => ({ ORDER_WEBHOOK_URLS: `https://a:${databasePassword}@shop.example` })],
    ['a secret stands for a port', 'PORT', () => ({ PORT: operatorToken, LOG_LEVEL: apiKey, STRIPE_ACCOUNTS: email })],
    ['a password is wrong', 'DATABASE_URL', () => ({ DATABASE_URL: withUser(`postgres:${databasePassword}`) })],
    ['a password is not encoded', 'DATABASE_URL', () => ({ DATABASE_URL: withUser(`postgres:a/${databasePassword}`) })],
    ['the database is of another kind', 'DATABASE_URL', () => ({ DATABASE_URL: `mysql://root:${databasePassword}@127.0.0.1/shop` })],
    ['the handlers cannot be loaded', 'HANDLERS', () => ({ HANDLERS: join(folder.path, 'throwing.mjs') })],
  ])('%s', async (_what, name, wrong) => {
    await using program = runSluice(['serve'], { env: { ...env, ...wrong() } })

    expect(await program.ended).toBe(78)
    expect(program.output()).toContain(`- ${name}: `)
    expect(findLeaks(program.output())).toEqual([])
  })

  it('migrate is given a wrong password', async () => {
    const DATABASE_URL = withUser(`postgres:${databasePassword}`)
    await using program = runSluice(['migrate'], { env: { ...env, DATABASE_URL } })

    expect(await program.ended).not.toBe(0)
    expect(findLeaks(program.output())).toEqual([])
  })
})
