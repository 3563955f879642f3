import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi, getOrder, waitForEvent } from '../helpers/api.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { countEvents, getPayload } from '../helpers/stored-event.ts'

describe('an authentic delivery', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  it.each([
    ['null', 'null'],
    ['an array', '[]'],
    ['a text', '"text"'],
    ['a number', '7'],
    ['an empty object', '{}'],
    ['no JSON', '{"id":"evt_1","type":'],
    ['two documents', `${JSON.stringify(buildEvent())} {}`],
    ['an id that is a number', JSON.stringify({ ...buildEvent(), id: 7 })],
    ['an empty id', JSON.stringify({ ...buildEvent(), id: '' })],
    ['an id of 256 characters', JSON.stringify({ ...buildEvent(), id: 'e'.repeat(256) })],
    ['an id with NUL', JSON.stringify({ ...buildEvent(), id: 'evt_\0' })],
    ['an id with an emoji', JSON.stringify({ ...buildEvent(), id: 'evt_🧾' })],
    ['an id with a lone surrogate', JSON.stringify({ ...buildEvent(), id: 'evt_\ud800' })],
    ['a type that is an object', JSON.stringify({ ...buildEvent(), type: {} })],
    ['no type', JSON.stringify({ ...buildEvent(), type: undefined })],
  ])('is answered 400 and not stored when it is not an event: %s', async (_what, body) => {
    const before = await countEvents(gateway)

    const answer = await deliver(gateway.url, body)

    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 'payload_invalid' })
    expect(await countEvents(gateway)).toBe(before)
  })

  it('is stored and ignored when its type is unknown', async () => {
    const event = buildEvent({ type: 'foo.bar' })

    expect((await deliver(gateway.url, event)).status).toBe(202)

    expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ type: 'foo.bar', status: 'ignored', reason: 'type_not_handled' })
  })

  it('is stored and ignored when its type is what every JavaScript object has, as any unknown type', async () => {
    const events = ['constructor', '__proto__', 'toString', 'hasOwnProperty'].map((type) => buildEvent({ type }))

    for (const event of events) expect((await deliver(gateway.url, event)).status).toBe(202)

    const stories = await Promise.all(events.map(({ id }) => waitForEvent(gateway.url, id)))
    expect(stories.map(({ status, reason }) => [status, reason])).toEqual(events.map(() => ['ignored', 'type_not_handled']))
  })

  it.each([
    ['of the object', { object: 'constructor', id: 'pi_1' }, []],
    ['before its id', { object: 'x', id: 'toString_1' }, []],
    ['of a known kind beside', { object: 'constructor', id: 'x', customer: 'cus_1' }, [{ kind: 'customer', value: 'cus_1' }]],
  ])('is found by no reference of a kind that is no kind: %s', async (_what, object, others) => {
    const event = buildEvent({ type: 'foo.bar', object })

    expect((await deliver(gateway.url, event)).status).toBe(202)

    const { references } = await waitForEvent(gateway.url, event.id)
    expect(references.filter(({ kind }: { kind: string }) => kind !== 'payment_intent')).toEqual(others)
  })

  it('is stored and parked when it is a thin event without data', async () => {
    const id = uniqueId('evt')
    const event = {
      id,
      object: 'v2.core.event',
      type: 'v2.money_management.received_credit.succeeded',
      created: '2026-11-30T12:00:00.000Z',
      livemode: false,
      context: 'acct_1',
      related_object: { id: uniqueId('pi'), type: 'payment_intent', url: '/v1/payment_intents/pi_1' },
    }

    expect((await deliver(gateway.url, event)).status).toBe(202)

    expect(await waitForEvent(gateway.url, id)).toMatchObject({
      status: 'parked',
      reason: 'thin_event',
      account: 'acct_1',
      occurred_at: '2026-11-30T12:00:00.000Z',
      references: [{ kind: 'payment_intent', value: event.related_object.id }],
    })
  })

  it.each([
    ['no data', { data: undefined }],
    ['data that is null', { data: null }],
    ['data that is a text', { data: 'text' }],
    ['an object that is null', { data: { object: null } }],
    ['an object that is a number', { data: { object: 7 } }],
    ['an object that is an array', { data: { object: [[]] } }],
    ['an empty object', { data: { object: {} } }],
    ['times that are none', { created: 'yesterday' }],
    ['a time beyond all calendars', { created: 1e300 }],
    ['a time before 1970', { created: -1 }],
    ['a mode that is none', { livemode: 'maybe' }],
    ['an account that is an object', { account: { id: 'acct_1' } }],
    ['an account with NUL', { account: 'acct_\0' }],
    ['an API version of 10 KB', { api_version: 'x'.repeat(10_240) }],
    ['an API version that is a number', { api_version: 7 }],
    ['metadata that is null', { data: { object: buildIntent({ metadata: null }) } }],
    ['metadata that is a list', { data: { object: buildIntent({ metadata: ['order_id'] }) } }],
    ['a customer that is a list', { data: { object: buildIntent({ customer: [1] }) } }],
    ['an e-mail that is an object', { data: { object: buildIntent({ receipt_email: {} }) } }],
    ['an intent id with NUL', { data: { object: buildIntent({ id: 'pi_\0' }) } }],
    ['an intent id of 10 KB', { data: { object: buildIntent({ id: `pi_${'x'.repeat(10_240)}` }) } }],
    ['a currency nobody knows', { data: { object: buildIntent({ currency: 'zz\0' }) } }],
  ])('is stored and comes to an end when the rest of it is odd: %s', async (_what, overrides) => {
    const body = JSON.stringify({ ...buildEvent(), ...overrides })
    const { id } = JSON.parse(body)

    expect((await deliver(gateway.url, body)).status).toBe(202)

    expect(['processed', 'ignored', 'parked']).toContain((await waitForEvent(gateway.url, id)).status)
    expect((await getPayload(gateway.url, id)).toString()).toBe(body)
  })

  it('is processed and stored to the byte when NUL stands in its values and keys', async () => {
    const orderId = uniqueId('ord')
    const metadata = { order_id: orderId, 'a\0b': 'a\0b' }
    const object = buildIntent({ metadata, 'x\0y': ['\0'], description: 'a\0b', receipt_email: 'a\0b@example.com', latest_charge: 'ch_\0' })
    const body = JSON.stringify(buildEvent({ object, 'k\0': '\0' }))
    const { id } = JSON.parse(body)

    expect((await deliver(gateway.url, body)).status).toBe(202)

    expect(await waitForEvent(gateway.url, id)).toMatchObject({ status: 'processed', order_ids: [orderId] })
    expect((await getPayload(gateway.url, id)).toString()).toBe(body)
    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'paid', paid_minor: 2000 })
  })

  it('is processed and stored to the byte when it escapes lone surrogates', async () => {
    const object = buildIntent({
      metadata: { order_id: '\ud800', '\udfff': 'x' },
      receipt_email: '\udc00@example.com',
      description: '\ud83e',
    })
    const body = JSON.stringify(buildEvent({ object }))
    const { id } = JSON.parse(body)

    expect((await deliver(gateway.url, body)).status).toBe(202)

    expect(body).toContain('\\ud800')
    expect(await waitForEvent(gateway.url, id)).toMatchObject({ status: 'processed', reason: 'order_not_named', order_ids: [] })
    expect((await getPayload(gateway.url, id)).toString()).toBe(body)
  })

  it('is one event under the last of its ids, stored to the byte, when keys stand twice', async () => {
    const [first, last, orderId] = [uniqueId('evt'), uniqueId('evt'), uniqueId('ord')]
    const intent = JSON.stringify(buildIntent()).replace('"metadata":{}', `"metadata":{"order_id":"other","order_id":"${orderId}"}`)
    const body = `{"id":"${first}","id":"${last}","type":"foo","type":"payment_intent.succeeded","data":{"object":${intent}}}`

    expect((await deliver(gateway.url, body)).body).toMatchObject({ status: 'accepted', event_id: last })

    expect(await waitForEvent(gateway.url, last)).toMatchObject({ status: 'processed', order_ids: [orderId] })
    expect((await getPayload(gateway.url, last)).toString()).toBe(body)
    expect((await callApi(gateway.url, `/api/events/${first}`)).status).toBe(404)
  })

  it.each(['9007199254740993', '1e400', '99999999999999999999999', '-5', '20.5', '"2000"'])(
    'is parked, stored to the byte and applied to nothing when its amount is %s',
    async (amount) => {
      const orderId = uniqueId('ord')
      const event = buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) })
      const body = JSON.stringify(event).replaceAll('2000', amount)

      expect((await deliver(gateway.url, body)).status).toBe(202)

      expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ status: 'parked', reason: expect.stringMatching(/^amount/) })
      expect((await getPayload(gateway.url, event.id)).toString()).toBe(body)
      expect((await callApi(gateway.url, `/api/orders/${orderId}`)).status).toBe(404)
    },
  )

  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
  it.each([
    ['the whole body', () => deep],
    ['a field of the event', (id: string) => `{"id":"${id}","type":"payment_intent.succeeded","x":${deep}}`],
    ['the object', (id: string) => `{"id":"${id}","type":"payment_intent.succeeded","data":{"object":${deep}}}`],
    ['metadata', (id: string) => `{"id":"${id}","type":"payment_intent.succeeded","data":{"object":{"metadata":{"order_id":${deep}}}}}`],
    ['objects in objects', (id: string) => `{"id":"${id}","type":"foo","data":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`],
  ])('leaves the process up when %s is nested 10,000 deep', async (_what, build) => {
    const id = uniqueId('evt')

    const answer = await deliver(gateway.url, build(id))

    expect([202, 400]).toContain(answer.status)
    if (answer.status === 202) expect(['ignored', 'parked']).toContain((await waitForEvent(gateway.url, id)).status)
    expect((await deliver(gateway.url, buildEvent())).status).toBe(202)
  })

  it('leaves every object of the process as it was when its keys name prototypes', async () => {
    const body = JSON.stringify(buildEvent()).replace('"metadata":{}', '"metadata":{"__proto__":{"order_id":"x"},"constructor":"y"}')
    const { id } = JSON.parse(body)

    expect((await deliver(gateway.url, body)).status).toBe(202)

    expect(await waitForEvent(gateway.url, id)).toMatchObject({ status: 'processed', reason: 'order_not_named' })
    expect(({} as Record<string, unknown>).order_id).toBeUndefined()
  })
})
