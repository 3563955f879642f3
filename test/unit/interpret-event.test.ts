import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { StoredEvent } from '../../src/events/event.ts'
import type { PaymentFact } from '../../src/events/payment-fact.ts'
import type { Interpretation } from '../../src/providers/provider.ts'
import { interpretEvent } from '../../src/providers/stripe/interpret-event.ts'
import { PAYMENT_RULES } from '../../src/providers/stripe/payment-rules.ts'
import { stripeObjectSchema } from '../../src/providers/stripe/stripe-object.ts'
import { buildStoredEvent, buildStoredText } from '../helpers/build-stored-event.ts'

const INTENT = { id: 'pi_1', object: 'payment_intent', amount: 2000, amount_received: 0, currency: 'usd' }
const PAID_INTENT = { ...INTENT, amount_received: 2000 }
const CHARGE = { id: 'ch_1', object: 'charge', amount: 2000, amount_captured: 2000, amount_refunded: 500, currency: 'usd', captured: true }
const SESSION = { id: 'cs_1', object: 'checkout.session', mode: 'payment', amount_total: 2000, currency: 'usd', payment_status: 'paid' }

function interpret(type: string, object: unknown): Interpretation {
  return interpretEvent(buildStoredEvent(type, object), ['order_id'])
}

function factOf(type: string, object: unknown, orderKeys = ['order_id']): PaymentFact {
  return onlyFact(interpretEvent(buildStoredEvent(type, object), orderKeys))
}

function onlyFact(interpretation: Interpretation): PaymentFact {
  expect(interpretation).toMatchObject({ kind: 'facts', facts: [expect.anything()] })
  const [fact] = interpretation.kind === 'facts' ? interpretation.facts : []
  return fact as PaymentFact
}

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
  ])('says of %s that nothing has arrived, with the state its type names', (type, name, state) => {
    const fact = factOf(type, INTENT)

    expect(fact).toMatchObject({ name, state, source: 'payment', paymentId: 'pi_1', amountMinor: 2000n, receivedMinor: 0n })
  })

  it.each(['payment_intent.succeeded', 'payment.succeeded'])('says of %s what has arrived', (type) => {
    const fact = factOf(type, { ...INTENT, amount_received: 1500 })

    expect(fact).toMatchObject({ name: 'payment.succeeded', state: 'succeeded', amountMinor: 2000n, receivedMinor: 1500n })
  })

  it('takes the amount for received when a success has no amount_received', () => {
    const fact = factOf('payment.succeeded', { ...INTENT, amount_received: undefined })

    expect(fact.receivedMinor).toBe(2000n)
  })

  it('says what a partially funded payment has received so far', () => {
    const fact = factOf('payment_intent.partially_funded', { ...INTENT, amount_received: 700 })

    expect(fact.receivedMinor).toBe(700n)
  })

  it('says where, when and in which event it happened', () => {
    const event = buildStoredEvent('payment_intent.succeeded', PAID_INTENT, { account: 'acct_1', livemode: true, eventId: 'evt_9' })

    const fact = onlyFact(interpretEvent(event, ['order_id']))

    expect(fact).toMatchObject({ provider: 'stripe', account: 'acct_1', livemode: true, eventId: 'evt_9', currency: 'USD' })
    expect(fact.messageId).toBe(event.messageId)
    expect(fact.occurredAt).toEqual(event.occurredAt)
  })

  it('happened when it was received if the event has no time', () => {
    const event = buildStoredEvent('payment_intent.succeeded', PAID_INTENT, { occurredAt: null })

    const fact = onlyFact(interpretEvent(event, ['order_id']))

    expect(fact.occurredAt).toEqual(event.receivedAt)
  })
})

describe('an event about a refunded charge', () => {
  it.each(['charge.refunded', 'payment.refunded'])('says of %s what has arrived and what went back in all', (type) => {
    const fact = factOf(type, { ...CHARGE, payment_intent: 'pi_1' })

    expect(fact).toMatchObject({ name: 'payment.refunded', source: 'charge', paymentId: 'pi_1', state: 'succeeded' })
    expect(fact).toMatchObject({ amountMinor: 2000n, receivedMinor: 2000n, refundedMinor: 500n })
  })

  it('stands for itself when the charge has no intent', () => {
    const fact = factOf('charge.refunded', { ...CHARGE, payment_intent: null })

    expect(fact.paymentId).toBe('ch_1')
  })

  it('takes the whole amount for refunded when no amount_refunded is given', () => {
    const fact = factOf('charge.refunded', { id: 'ch_1', amount: 2000, currency: 'usd' })

    expect(fact).toMatchObject({ receivedMinor: 2000n, refundedMinor: 2000n })
  })

  it('takes what was captured for received, not what was authorized', () => {
    const fact = factOf('charge.refunded', { ...CHARGE, amount_captured: 1500, amount_refunded: 300 })

    expect(fact).toMatchObject({ amountMinor: 2000n, receivedMinor: 1500n, refundedMinor: 300n })
  })

  it('has no success when what went back was only ever authorized', () => {
    const released = { ...CHARGE, captured: false, amount_captured: 0, amount_refunded: 2000, payment_intent: 'pi_1' }

    const interpretation = interpret('charge.refunded', released)

    const facts = interpretation.kind === 'facts' ? interpretation.facts : []
    expect(facts.filter(({ state }) => state === 'succeeded')).toEqual([])
  })

  it('has no refund when before 2025-03-31 what was authorized but not captured went back', () => {
    const partlyCaptured = { ...CHARGE, amount_captured: 1500, amount_refunded: 500 }
    const event = buildStoredEvent('charge.refunded', partlyCaptured, {
      apiVersion: '2024-06-20',
      bodies: [{ type: 'charge.refunded', api_version: '2024-06-20', data: { object: partlyCaptured } }],
    })

    const fact = onlyFact(interpretEvent(event, ['order_id']))

    expect(fact).toMatchObject({ receivedMinor: 1500n, refundedMinor: 0n })
  })
})

describe('an event about a checkout session', () => {
  it.each([
    ['checkout.session.completed', 'paid', 'checkout.completed', 'succeeded', 2000n],
    ['checkout.session.completed', 'no_payment_required', 'checkout.completed', 'succeeded', 2000n],
    ['checkout.session.completed', 'unpaid', 'checkout.completed', 'processing', 0n],
    ['checkout.session.async_payment_succeeded', 'paid', 'checkout.succeeded', 'succeeded', 2000n],
    ['checkout.session.async_payment_failed', 'unpaid', 'checkout.failed', 'failed', 0n],
    ['checkout.session.expired', 'unpaid', 'checkout.expired', 'canceled', 0n],
  ])('says of %s with payment_status %s: %s, %s, received %s', (type, paymentStatus, name, state, receivedMinor) => {
    const fact = factOf(type, { ...SESSION, payment_status: paymentStatus, payment_intent: 'pi_1' })

    expect(fact).toMatchObject({ name, state, receivedMinor, source: 'checkout', paymentId: 'pi_1', amountMinor: 2000n })
  })

  it('stands for itself when there is nothing to pay and no intent', () => {
    const fact = factOf('checkout.session.completed', {
      ...SESSION,
      payment_status: 'no_payment_required',
      amount_total: 0,
      payment_intent: null,
    })

    expect(fact).toMatchObject({ paymentId: 'cs_1', state: 'succeeded', amountMinor: 0n, receivedMinor: 0n })
  })

  it('is ignored when the session only sets up a payment method', () => {
    const interpretation = interpret('checkout.session.completed', {
      ...SESSION,
      mode: 'setup',
      amount_total: null,
      currency: null,
      setup_intent: 'seti_1',
    })

    expect(interpretation).toMatchObject({ kind: 'ignored', reason: 'setup_mode' })
  })

  it('names the payment when the session has it expanded', () => {
    const fact = factOf('checkout.session.completed', {
      ...SESSION,
      payment_intent: { id: 'pi_7', object: 'payment_intent', amount: 2000 },
    })

    expect(fact.paymentId).toBe('pi_7')
  })
})

describe('the order that an event names', () => {
  it('is the metadata order_id', () => {
    const fact = factOf('payment_intent.succeeded', { ...PAID_INTENT, metadata: { order_id: 'ord_1', other: 'ord_2' } })

    expect(fact.orderId).toBe('ord_1')
  })

  it('is the first configured key that hits, not the first in the object', () => {
    const metadata = { cart: 'ord_3', order_no: 'ord_2' }

    const fact = factOf('payment_intent.succeeded', { ...PAID_INTENT, metadata }, ['order_id', 'order_no', 'cart'])

    expect(fact.orderId).toBe('ord_2')
  })

  it('is the next key when the first has no valid value', () => {
    const metadata = { order_id: '', order_no: 'ord_2' }

    const fact = factOf('payment_intent.succeeded', { ...PAID_INTENT, metadata }, ['order_id', 'order_no'])

    expect(fact.orderId).toBe('ord_2')
  })

  it('is the client_reference_id of a session whose metadata names none', () => {
    const fact = factOf('checkout.session.completed', { ...SESSION, client_reference_id: 'ord_1', metadata: {} })

    expect(fact.orderId).toBe('ord_1')
  })

  it('is what the metadata names when the session has a client_reference_id too', () => {
    const fact = factOf('checkout.session.completed', { ...SESSION, client_reference_id: 'cart_1', metadata: { order_id: 'ord_1' } })

    expect(fact.orderId).toBe('ord_1')
  })

  it.each([
    ['255 characters', 'x'.repeat(255)],
    ['spaces inside', 'Order 17'],
    ['CJK and an emoji', '注文17 😀'],
    ['the text __proto__', '__proto__'],
    ['the text constructor', 'constructor'],
  ])('may have %s', (_, orderId) => {
    const fact = factOf('payment_intent.succeeded', { ...PAID_INTENT, metadata: { order_id: orderId } })

    expect(fact.orderId).toBe(orderId)
  })

  it.each([
    ['there is no metadata', undefined],
    ['the metadata is null', null],
    ['the metadata is text', 'order_id'],
    ['the metadata is an array', ['ord_1']],
    ['the metadata is empty', {}],
    ['it is empty', { order_id: '' }],
    ['it is spaces', { order_id: '   ' }],
    ['it is 256 characters', { order_id: 'x'.repeat(256) }],
    ['it is 10 KB', { order_id: 'x'.repeat(10_240) }],
    ['it has a NUL', { order_id: 'ord\0_1' }],
    ['it has a newline', { order_id: 'ord_1\n' }],
    ['it has an escape character', { order_id: '\u001b[2Jord_1' }],
    ['it has a bidi override', { order_id: 'ord_\u202e1' }],
    ['it has a line separator', { order_id: 'ord_1\u2028' }],
    ['it has a lone surrogate', { order_id: 'ord_\ud800' }],
    ['it is a number', { order_id: 17 }],
    ['it is null', { order_id: null }],
    ['it is an object', { order_id: { id: 'ord_1' } }],
    ['the key differs by case', { Order_Id: 'ord_1' }],
  ])('is none when %s', (_, metadata) => {
    const fact = factOf('payment_intent.succeeded', { ...PAID_INTENT, metadata })

    expect(fact).not.toHaveProperty('orderId')
  })

  it.each(['__proto__', 'constructor', 'toString'])(
    'is none when the configured key is %s and the metadata has it not of its own',
    (key) => {
      const fact = factOf('payment_intent.succeeded', { ...PAID_INTENT, metadata: {} }, [key])

      expect(fact).not.toHaveProperty('orderId')
    },
  )

  it('is none when only the key __proto__ of the metadata holds an order_id', () => {
    const event = buildStoredText(
      'payment_intent.succeeded',
      '{"id":"pi_1","amount":2000,"currency":"usd","metadata":{"__proto__":{"order_id":"ord_1"}}}',
    )

    const fact = onlyFact(interpretEvent(event, ['order_id']))

    expect(fact).not.toHaveProperty('orderId')
  })
})

describe('an event that is parked', () => {
  it.each(['9007199254740993', '1e400', '10.5', '-1', '"2000"', 'true', '[2000]', '{}'])('has amount %s', (amount) => {
    const event = buildStoredText('payment_intent.succeeded', `{"id":"pi_1","amount":${amount},"currency":"usd"}`)

    const interpretation = interpretEvent(event, ['order_id'])

    expect(interpretation).toMatchObject({ kind: 'parked', reason: 'amount_invalid' })
  })

  it.each([
    ['payment_intent.succeeded', 'amount_received', INTENT],
    ['charge.refunded', 'amount_captured', CHARGE],
    ['charge.refunded', 'amount_refunded', CHARGE],
    ['checkout.session.completed', 'amount_total', SESSION],
  ])('is a %s whose %s cannot be trusted, and the reason names it', (type, field, object) => {
    const interpretation = interpret(type, { ...object, [field]: '2000' })

    expect(interpretation).toMatchObject({ kind: 'parked', reason: `${field}_invalid` })
  })

  it.each([
    ['payment_intent.succeeded', { ...INTENT, amount: null }],
    ['payment_intent.succeeded', { ...INTENT, amount: undefined }],
    ['checkout.session.completed', { ...SESSION, amount_total: null }],
  ])('is a %s that has no amount', (type, object) => {
    const interpretation = interpret(type, object)

    expect(interpretation).toMatchObject({ kind: 'parked', reason: 'amount_missing' })
  })

  it.each(['ABC', '', 'us', 'dollar', '840', '__proto__', null, undefined, 840, {}])('has the currency %j', (currency) => {
    const interpretation = interpret('payment_intent.succeeded', { ...PAID_INTENT, currency })

    expect(interpretation).toMatchObject({ kind: 'parked', reason: 'currency_invalid' })
  })

  it.each([undefined, null, '', 1, 'pi 1', 'pi_1\0', 'pi_é', 'p'.repeat(256)])('has the payment id %j', (id) => {
    const interpretation = interpret('payment_intent.succeeded', { ...PAID_INTENT, id })

    expect(interpretation).toMatchObject({ kind: 'parked', reason: 'payment_id_invalid' })
  })

  it('is a thin event, found by its related object', () => {
    const body = { id: 'evt_1', object: 'v2.core.event', type: 'v2.core.x', related_object: { id: 'cus_1', type: 'customer', url: '/v1' } }

    const interpretation = interpretEvent(buildStoredEvent('v2.core.x', null, { bodies: [body] }), ['order_id'])

    expect(interpretation).toEqual({ kind: 'parked', reason: 'thin_event', references: [{ kind: 'customer', value: 'cus_1' }] })
  })

  it.each([
    ['no related object', undefined],
    ['a null one', null],
    ['text for one', 'cus_1'],
    ['one without type', { id: 'cus_1' }],
    ['one of a kind that nobody looks for', { id: 'mtr_1', type: 'billing.meter' }],
    ['one whose id begins like a property of every object', { id: 'constructor_1', type: 'customer' }],
  ])('is a thin event with %s, which nothing refers to', (_, related) => {
    const body = { id: 'evt_1', object: 'v2.core.event', type: 'v2.core.x', related_object: related }

    const interpretation = interpretEvent(buildStoredEvent('v2.core.x', null, { bodies: [body] }), ['order_id'])

    expect(interpretation).toEqual({ kind: 'parked', reason: 'thin_event', references: [] })
  })

  it('is found by its references all the same', () => {
    const interpretation = interpret('payment_intent.succeeded', { ...INTENT, amount: -1, metadata: { order_id: 'ord_1' } })

    expect(interpretation.references).toEqual([
      { kind: 'payment_intent', value: 'pi_1' },
      { kind: 'order', value: 'ord_1' },
    ])
  })
})

describe('an amount that can be trusted', () => {
  it.each([
    ['0', 0n],
    ['1', 1n],
    ['9007199254740991', 9_007_199_254_740_991n],
  ])('is %s', (amount, minor) => {
    const event = buildStoredText('payment_intent.created', `{"id":"pi_1","amount":${amount},"currency":"usd"}`)

    const fact = onlyFact(interpretEvent(event, ['order_id']))

    expect(fact.amountMinor).toBe(minor)
  })

  it.each(['usd', 'EUR', 'jpy', 'kwd', 'isk'])('may be in %s', (currency) => {
    const fact = factOf('payment_intent.succeeded', { ...PAID_INTENT, currency })

    expect(fact.currency).toBe(currency.toUpperCase())
  })
})

describe('an event that is ignored', () => {
  it.each(['foo.bar', 'customer.created', 'charge.succeeded.v2', 'PAYMENT_INTENT.SUCCEEDED', ''])('has the type %j', (type) => {
    const interpretation = interpret(type, { id: 'cus_1', object: 'customer' })

    expect(interpretation).toEqual({ kind: 'ignored', reason: 'type_not_handled', references: [{ kind: 'customer', value: 'cus_1' }] })
  })

  it.each(['constructor', 'toString', 'valueOf', '__proto__', 'hasOwnProperty'])(
    'has the type %s, which every JavaScript object knows',
    (type) => {
      const interpretation = interpret(type, INTENT)

      expect(interpretation).toMatchObject({ kind: 'ignored', reason: 'type_not_handled' })
    },
  )

  it.each([
    ['null', 'null'],
    ['text', '"pi_1"'],
    ['an array', '[{"id":"pi_1"}]'],
    ['a number', '1'],
  ])('has %s for data.object', (_, object) => {
    const interpretation = interpretEvent(buildStoredText('payment_intent.succeeded', object), ['order_id'])

    expect(interpretation).toEqual({ kind: 'ignored', reason: 'object_missing', references: [] })
  })

  it.each([{}, { data: null }, { data: 'text' }, { data: [] }, { data: {} }])('has only %j of what an event has', (body) => {
    const event = buildStoredEvent('payment_intent.succeeded', null, { bodies: [body] })

    const interpretation = interpretEvent(event, ['order_id'])

    expect(interpretation).toEqual({ kind: 'ignored', reason: 'object_missing', references: [] })
  })
})

describe('the references of an event', () => {
  it('are everything by which people look for it', () => {
    const { references } = interpret('charge.refunded', {
      ...CHARGE,
      payment_intent: 'pi_1',
      invoice: 'in_1',
      subscription: 'sub_1',
      customer: 'cus_1',
      metadata: { order_id: 'ord_1' },
      receipt_email: 'jenny@example.com',
    })

    expect(references.map(({ kind, value }) => `${kind} ${value}`).sort()).toEqual([
      'charge ch_1',
      'customer cus_1',
      'email jenny@example.com',
      'invoice in_1',
      'order ord_1',
      'payment_intent pi_1',
      'subscription sub_1',
    ])
  })

  it('are the ids of expanded objects', () => {
    const { references } = interpret('payment_intent.succeeded', {
      ...PAID_INTENT,
      customer: { id: 'cus_1' },
      latest_charge: { id: 'ch_1' },
    })

    expect(references).toContainEqual({ kind: 'customer', value: 'cus_1' })
    expect(references).toContainEqual({ kind: 'charge', value: 'ch_1' })
  })

  it.each([
    ['pi_1', 'payment_intent'],
    ['ch_1', 'charge'],
    ['py_1', 'charge'],
    ['cs_test_1', 'checkout_session'],
    ['in_1', 'invoice'],
    ['sub_1', 'subscription'],
    ['re_1', 'refund'],
    ['pyr_1', 'refund'],
    ['dp_1', 'dispute'],
    ['du_1', 'dispute'],
    ['cus_1', 'customer'],
  ])('take the kind of %s from its prefix when the object does not say what it is', (id, kind) => {
    const { references } = interpret('foo.bar', { id })

    expect(references).toEqual([{ kind, value: id }])
  })

  it('have e-mail addresses in lower case, each once', () => {
    const { references } = interpret('charge.refunded', {
      ...CHARGE,
      receipt_email: 'Jenny.Rosen@Example.com',
      billing_details: { email: 'JENNY.ROSEN@EXAMPLE.COM' },
      customer_details: { email: 'other@example.com' },
    })

    expect(references.filter(({ kind }) => kind === 'email').map(({ value }) => value)).toEqual([
      'jenny.rosen@example.com',
      'other@example.com',
    ])
  })

  it.each([
    ['is over 255 characters', `${'x'.repeat(250)}@x.com`],
    ['has a NUL', 'a\0b@example.com'],
    ['has a lone surrogate', '\ud800@example.com'],
    ['is empty', ''],
    ['is a number', 17],
  ])('leave out a value that %s', (_, email) => {
    const { references } = interpret('payment_intent.succeeded', { ...PAID_INTENT, receipt_email: email })

    expect(references).toEqual([{ kind: 'payment_intent', value: 'pi_1' }])
  })

  it('have a value of 255 characters', () => {
    const { references } = interpret('foo.bar', { id: 'cus_1', email: `${'x'.repeat(249)}@x.com` })

    expect(references.map(({ kind }) => kind)).toEqual(['customer', 'email'])
  })

  it.each([
    { id: 'x_1', object: 'constructor' },
    { id: 'x_1', object: '__proto__' },
    { id: 'toString' },
    { id: 'constructor_1', object: 'unheard_of' },
  ])('are none for %j, whose kind nobody looks for', (object) => {
    const { references } = interpret('foo.bar', object)

    expect(references).toEqual([])
  })
})

describe('an event delivered in two API versions', () => {
  const withOrder = { data: { object: { ...PAID_INTENT, metadata: { order_id: 'ord_1' } } } }
  const unreadable = { data: { object: { ...PAID_INTENT, amount: '2000', customer: 'cus_1' } } }
  const read = (bodies: object[]) => interpretEvent(buildStoredEvent('payment_intent.succeeded', null, { bodies }), ['order_id'])

  it('says the facts of both', () => {
    const interpretation = read([withOrder, { data: { object: PAID_INTENT } }])

    expect(interpretation).toMatchObject({ kind: 'facts', facts: [{ orderId: 'ord_1' }, { paymentId: 'pi_1' }] })
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
})

describe('whatever a sender writes', () => {
  const likely = fc.constantFrom<unknown>(
    'pi_1',
    'cs_1',
    'usd',
    'EUR',
    2000,
    0,
    null,
    true,
    'paid',
    'unpaid',
    'setup',
    { id: 'pi_2' },
    { order_id: 'o' },
  )
  const hostile = fc.constantFrom<unknown>(
    '__proto__',
    'constructor',
    'x'.repeat(300),
    'a\0',
    '\ud800',
    -1,
    1e300,
    10.5,
    [],
    {},
    { id: {} },
  )
  const value = fc.oneof({ weight: 3, arbitrary: likely }, { weight: 1, arbitrary: hostile }, { weight: 1, arbitrary: fc.jsonValue() })
  const field = fc.constantFrom(...Object.keys(stripeObjectSchema.shape))
  const stripeObject = fc
    .tuple(
      fc.constantFrom<object>({}, PAID_INTENT, CHARGE, SESSION, { ...PAID_INTENT, ...SESSION }),
      fc.dictionary(field, value, { maxKeys: 4 }),
    )
    .map(([sound, changes]) => ({ ...sound, ...changes }))
  const type = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...PAYMENT_RULES.keys()) },
    { weight: 1, arbitrary: fc.constantFrom('foo.bar', 'constructor', '__proto__', 'toString') },
    { weight: 1, arbitrary: fc.string() },
  )
  const body = fc.oneof(
    { weight: 8, arbitrary: stripeObject.map((object) => ({ data: { object } })) },
    { weight: 1, arbitrary: fc.jsonValue().map((object) => ({ data: { object } })) },
    { weight: 1, arbitrary: fc.record({ object: fc.oneof(fc.constant('v2.core.event'), value), data: value, related_object: value }) },
    { weight: 1, arbitrary: fc.dictionary(fc.string(), fc.jsonValue()) },
  )
  const stored = fc
    .tuple(type, fc.array(body, { minLength: 1, maxLength: 2 }), fc.boolean())
    .map(([type, bodies, hasTime]) => buildStoredEvent(type, null, { bodies, ...(!hasTime && { occurredAt: null }) }))

  it('is interpreted without a throw, as facts with whole amounts and as references that can be stored', () => {
    const count = { facts: 0, parked: 0, ignored: 0 }

    fc.assert(
      fc.property(stored, fc.constantFrom<string[][]>(['order_id'], ['__proto__', 'constructor']), (event: StoredEvent, orderKeys) => {
        const interpretation = interpretEvent(event, orderKeys)
        count[interpretation.kind] += 1
        for (const { kind, value } of interpretation.references) {
          expect([typeof kind, typeof value]).toEqual(['string', 'string'])
          expect(value.length > 0 && value.length <= 255 && !value.includes('\0') && value.isWellFormed()).toBe(true)
        }
        for (const fact of interpretation.kind === 'facts' ? interpretation.facts : []) {
          expect(
            [fact.amountMinor, fact.receivedMinor, fact.refundedMinor].every((minor) => typeof minor === 'bigint' && minor >= 0n),
          ).toBe(true)
          expect(fact.paymentId).toMatch(/^[\x21-\x7e]{1,255}$/)
        }
      }),
      { numRuns: 2000 },
    )

    expect(Math.min(count.facts, count.parked, count.ignored)).toBeGreaterThan(150)
  })
})
