import { describe, expect, it } from '@jest/globals'
import type { Interpretation } from '../../src/providers/provider.ts'
import { interpretEvent } from '../../src/providers/stripe/interpret-event.ts'
import { readFacts } from '../helpers/build-fact.ts'
import { buildStoredEvent, buildStoredText } from '../helpers/build-stored-event.ts'

const PAID_INTENT = { id: 'pi_1', object: 'payment_intent', amount: 2000, amount_received: 2000, currency: 'usd' }
const CHARGE = { id: 'ch_1', object: 'charge', amount: 2000, amount_captured: 2000, amount_refunded: 500, currency: 'usd', captured: true }
const SESSION = { id: 'cs_1', object: 'checkout.session', mode: 'payment', amount_total: 2000, currency: 'usd', payment_status: 'paid' }

function interpret(type: string, object: unknown): Interpretation {
  return interpretEvent(buildStoredEvent(type, object), { orderKeys: ['order_id'] })
}

describe('the order that an event names', () => {
  const orderOf = (metadata: unknown, orderKeys?: string[]) =>
    readFacts('payment_intent.succeeded', { ...PAID_INTENT, metadata }, orderKeys && { orderKeys })[0]?.orderId

  it('is the metadata order_id', () => {
    expect(orderOf({ order_id: 'ord_1', other: 'ord_2' })).toBe('ord_1')
  })

  it('is the first configured key that hits, not the first in the object', () => {
    expect(orderOf({ cart: 'ord_3', order_no: 'ord_2' }, ['order_id', 'order_no', 'cart'])).toBe('ord_2')
  })

  it('is the next key when the first has no valid value', () => {
    expect(orderOf({ order_id: '', order_no: 'ord_2' }, ['order_id', 'order_no'])).toBe('ord_2')
  })

  it.each([
    ['the client_reference_id of a session whose metadata names none', { client_reference_id: 'ord_1', metadata: {} }],
    ['what the metadata names before the client_reference_id', { client_reference_id: 'cart_1', metadata: { order_id: 'ord_1' } }],
    ['the client_reference_id when the metadata has no valid value', { client_reference_id: 'ord_1', metadata: { order_id: ' ' } }],
  ])('is %s', (_, session) => {
    const [fact] = readFacts('checkout.session.completed', { ...SESSION, ...session })

    expect(fact?.orderId).toBe('ord_1')
  })

  it.each([
    ['255 characters', 'x'.repeat(255)],
    ['spaces inside', 'Order 17'],
    ['CJK and an emoji', '注文17 😀'],
    ['the text __proto__', '__proto__'],
    ['the text constructor', 'constructor'],
  ])('may have %s', (_, orderId) => {
    expect(orderOf({ order_id: orderId })).toBe(orderId)
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
    const [fact] = readFacts('payment_intent.succeeded', { ...PAID_INTENT, metadata })

    expect(fact).not.toHaveProperty('orderId')
  })

  it.each(['__proto__', 'constructor', 'toString'])(
    'is none when the configured key is %s and the metadata has it not of its own',
    (key) => {
      expect(orderOf({}, [key])).toBeUndefined()
    },
  )

  it('is none when only the key __proto__ of the metadata holds an order_id', () => {
    const event = buildStoredText(
      'payment_intent.succeeded',
      '{"id":"pi_1","amount":2000,"currency":"usd","metadata":{"__proto__":{"order_id":"ord_1"}}}',
    )

    const interpretation = interpretEvent(event, { orderKeys: ['order_id'] })

    expect(interpretation).toMatchObject({ kind: 'facts', facts: [expect.not.objectContaining({ orderId: expect.anything() })] })
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
    ['is 10 KB', `${'x'.repeat(10_240)}@x.com`],
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
