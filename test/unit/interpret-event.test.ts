import { describe, expect, it } from '@jest/globals'
import { type InterpretOptions, interpretEvent } from '../../src/providers/stripe/interpret-event.ts'
import { readFacts } from '../helpers/build-fact.ts'
import { buildStoredEvent, buildStoredText } from '../helpers/build-stored-event.ts'

const INTENT = { id: 'pi_1', object: 'payment_intent', amount: 2000, amount_received: 0, currency: 'usd' }
const PAID_INTENT = { ...INTENT, amount_received: 2000 }
const CHARGE = { id: 'ch_1', object: 'charge', amount: 2000, amount_captured: 2000, amount_refunded: 0, currency: 'usd', captured: true }
const OPTIONS: InterpretOptions = { orderKeys: ['order_id'] }

describe('an event about a PaymentIntent', () => {
  it.each([
    ['payment_intent.created', 'payment.created', 'created'],
    ['payment_intent.requires_action', 'payment.requires_action', 'requires_action'],
    ['payment_intent.partially_funded', 'payment.requires_action', 'requires_action'],
    ['payment_intent.processing', 'payment.processing', 'processing'],
    ['payment_intent.amount_capturable_updated', 'payment.authorized', 'authorized'],
    ['payment_intent.payment_failed', 'payment.failed', 'failed'],
    ['payment_intent.canceled', 'payment.canceled', 'canceled'],
    ['payment.failed', 'payment.failed', 'failed'],
  ])('says of %s nothing of what has arrived, with the state its type names', (type, name, state) => {
    const [fact] = readFacts(type, INTENT)

    expect(fact).toMatchObject({ name, state, object: { kind: 'payment', id: 'pi_1' }, amountMinor: 2000n, currency: 'USD' })
    expect(fact).not.toHaveProperty('receivedMinor')
  })

  it.each(['payment_intent.succeeded', 'payment.succeeded'])('says of %s what has arrived', (type) => {
    const facts = readFacts(type, { ...INTENT, amount_received: 1500 })

    expect(facts).toMatchObject([{ name: 'payment.succeeded', state: 'succeeded', amountMinor: 2000n, receivedMinor: 1500n }])
  })

  it('takes the amount for received when a success has no amount_received', () => {
    const [fact] = readFacts('payment.succeeded', { ...INTENT, amount_received: undefined })

    expect(fact?.receivedMinor).toBe(2000n)
  })

  it('says of a success with 0 received that 0 arrived', () => {
    const [fact] = readFacts('payment_intent.succeeded', INTENT)

    expect(fact?.receivedMinor).toBe(0n)
  })

  it('says what a partially funded payment has received so far', () => {
    const [fact] = readFacts('payment_intent.partially_funded', { ...INTENT, amount_received: 700 })

    expect(fact?.receivedMinor).toBe(700n)
  })

  it('names its charges and its invoice, each as an id or expanded', () => {
    const [fact] = readFacts('payment_intent.payment_failed', {
      ...INTENT,
      latest_charge: { id: 'ch_2', object: 'charge', amount: 2000 },
      charges: { object: 'list', data: [{ id: 'ch_1' }, { id: 17 }, null] },
      invoice: { id: 'in_1' },
    })

    expect(fact?.relatesTo).toEqual([
      { kind: 'charge', id: 'ch_2' },
      { kind: 'charge', id: 'ch_1' },
      { kind: 'invoice', id: 'in_1' },
    ])
  })

  it.each(['ch 1', 'ch_\0', 'ch_é', '', 'c'.repeat(256), 17, true, [], {}, { id: 17 }])('names no charge with the id %j', (charge) => {
    const [fact] = readFacts('payment_intent.succeeded', { ...PAID_INTENT, latest_charge: charge })

    expect(fact?.relatesTo).toEqual([])
  })

  it('says where, when and in which event it happened', () => {
    const overrides = { account: 'acct_1', livemode: true, eventId: 'evt_9' }

    const [fact] = readFacts('payment_intent.succeeded', PAID_INTENT, overrides)

    const { messageId, occurredAt } = buildStoredEvent('payment_intent.succeeded', PAID_INTENT)
    expect(fact).toMatchObject({ ...overrides, provider: 'stripe', messageId, occurredAt })
  })

  it('happened when it was received if the event has no time', () => {
    const [fact] = readFacts('payment_intent.succeeded', PAID_INTENT, { occurredAt: null })

    expect(fact?.occurredAt).toEqual(new Date('2026-01-01T00:00:05.000Z'))
  })
})

describe('an event of a mode or account that is not ours', () => {
  const interpret = (event: { account?: string | null; livemode?: boolean | null }, options: Partial<InterpretOptions>) =>
    interpretEvent(buildStoredEvent('payment_intent.succeeded', PAID_INTENT, event), { ...OPTIONS, ...options })

  it.each([true, false])('is ignored when only livemode %s is wanted', (livemode) => {
    const interpretation = interpret({ livemode: !livemode }, { livemode })

    expect(interpretation).toEqual({
      kind: 'ignored',
      reason: 'mode_mismatch',
      references: [{ kind: 'payment_intent', value: 'pi_1' }],
    })
  })

  it.each([
    ['it is of that mode', { livemode: true }, { livemode: true }],
    ['it does not say its mode', { livemode: null }, { livemode: true }],
    ['no mode is configured', { livemode: true }, {}],
    ['its account is one of ours', { account: 'acct_2' }, { accounts: ['acct_1', 'acct_2'] }],
    ['it names no account, which makes it our own', { account: null }, { accounts: ['acct_1'] }],
    ['no accounts are configured', { account: 'acct_9' }, {}],
  ])('is none, and counts, when %s', (_, event, options) => {
    expect(interpret(event, options).kind).toBe('facts')
  })

  it('is parked when its account is not in the list', () => {
    const interpretation = interpret({ account: 'acct_9' }, { accounts: ['acct_1'] })

    expect(interpretation).toEqual({
      kind: 'parked',
      reason: 'account_unknown',
      references: [{ kind: 'payment_intent', value: 'pi_1' }],
    })
  })

  it('is ignored rather than parked when both are foreign', () => {
    const interpretation = interpret({ account: 'acct_9', livemode: false }, { accounts: ['acct_1'], livemode: true })

    expect(interpretation).toMatchObject({ kind: 'ignored', reason: 'mode_mismatch' })
  })
})

describe('an event that is ignored', () => {
  it.each([
    'foo.bar',
    'customer.created',
    'charge.succeeded.v2',
    'transfer.created',
    'credit_note.created',
    'PAYMENT_INTENT.SUCCEEDED',
    '',
  ])('has the type %j', (type) => {
    const interpretation = interpretEvent(buildStoredEvent(type, { id: 'cus_1', object: 'customer' }), OPTIONS)

    expect(interpretation).toEqual({ kind: 'ignored', reason: 'type_not_handled', references: [{ kind: 'customer', value: 'cus_1' }] })
  })

  it.each(['constructor', 'toString', 'valueOf', '__proto__', 'hasOwnProperty'])(
    'has the type %s, which every JavaScript object knows',
    (type) => {
      const interpretation = interpretEvent(buildStoredEvent(type, INTENT), OPTIONS)

      expect(interpretation).toMatchObject({ kind: 'ignored', reason: 'type_not_handled' })
    },
  )

  it.each([
    ['null', 'null'],
    ['text', '"pi_1"'],
    ['an array', '[{"id":"pi_1"}]'],
    ['a number', '1'],
  ])('has %s for data.object', (_, object) => {
    const interpretation = interpretEvent(buildStoredText('payment_intent.succeeded', object), OPTIONS)

    expect(interpretation).toEqual({ kind: 'ignored', reason: 'object_missing', references: [] })
  })

  it.each([{}, { data: null }, { data: 'text' }, { data: [] }, { data: {} }])('has only %j of what an event has', (body) => {
    const event = buildStoredEvent('payment_intent.succeeded', null, { bodies: [body] })

    const interpretation = interpretEvent(event, OPTIONS)

    expect(interpretation).toEqual({ kind: 'ignored', reason: 'object_missing', references: [] })
  })

  it('has no amount that anyone needs to trust', () => {
    const interpretation = interpretEvent(buildStoredEvent('customer.created', { id: 'cus_1', amount: -1 }), OPTIONS)

    expect(interpretation).toMatchObject({ kind: 'ignored', reason: 'type_not_handled' })
  })
})

describe('an event delivered in two API versions', () => {
  const withOrder = { data: { object: { ...PAID_INTENT, metadata: { order_id: 'ord_1' } } } }
  const unreadable = { data: { object: { ...PAID_INTENT, amount: '2000', customer: 'cus_1' } } }
  const read = (bodies: object[]) => interpretEvent(buildStoredEvent('payment_intent.succeeded', null, { bodies }), OPTIONS)

  it('says the facts of both', () => {
    const interpretation = read([withOrder, { data: { object: { ...PAID_INTENT, invoice: 'in_1' } } }])

    expect(interpretation).toMatchObject({ kind: 'facts', facts: [{ orderId: 'ord_1' }, { relatesTo: [{ kind: 'invoice', id: 'in_1' }] }] })
  })

  it.each([
    ['first', [unreadable, withOrder]],
    ['last', [withOrder, unreadable]],
  ])('says the facts of the readable one when the unreadable came %s', (_, bodies) => {
    const interpretation = read(bodies)

    expect(interpretation).toMatchObject({ kind: 'facts', facts: [{ orderId: 'ord_1' }] })
    expect(interpretation.references).toContainEqual({ kind: 'customer', value: 'cus_1' })
  })

  it('is parked when neither can be read', () => {
    const interpretation = read([{}, unreadable])

    expect(interpretation).toMatchObject({ kind: 'parked', reason: 'amount_invalid' })
  })

  // 1500 of 2000 captured, 300 refunded: the old shape has the 500 that were never captured in its sum.
  const old = { api_version: '2024-06-20', data: { object: { ...CHARGE, amount_captured: 1500, amount_refunded: 800 } } }
  const recent = { api_version: '2026-10-28.endive', data: { object: { ...CHARGE, amount_captured: 1500, amount_refunded: 300 } } }

  it.each([
    ['before', [old, recent]],
    ['after', [recent, old]],
  ])('reads each body by its own version when the old one came %s the new', (_, bodies) => {
    const facts = readFacts('charge.refunded', null, { apiVersion: bodies[0]?.api_version ?? null, bodies })

    expect(facts.map(({ refundedMinor }) => refundedMinor)).toEqual([300n, 300n])
  })
})
