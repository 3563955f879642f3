import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { StoredEvent } from '../../src/events/event.ts'
import { FACT_RULES } from '../../src/providers/stripe/fact-rules.ts'
import { interpretEvent } from '../../src/providers/stripe/interpret-event.ts'
import { stripeObjectSchema } from '../../src/providers/stripe/stripe-object.ts'
import { readFacts } from '../helpers/build-fact.ts'
import { buildStoredEvent, buildStoredText } from '../helpers/build-stored-event.ts'

const OPTIONS = { orderKeys: ['order_id'] }
const INTENT = { id: 'pi_1', object: 'payment_intent', amount: 2000, amount_received: 2000, currency: 'usd' }
const CHARGE = { id: 'ch_1', object: 'charge', amount: 2000, amount_captured: 2000, amount_refunded: 500, currency: 'usd', captured: true }
const REFUND = { id: 're_1', object: 'refund', amount: 500, currency: 'usd', charge: 'ch_1', status: 'succeeded' }
const DISPUTE = { id: 'du_1', object: 'dispute', amount: 2000, currency: 'usd', charge: 'ch_1', status: 'needs_response' }
const SESSION = { id: 'cs_1', object: 'checkout.session', mode: 'payment', amount_total: 2000, currency: 'usd', payment_status: 'paid' }
const INVOICE = { id: 'in_1', object: 'invoice', amount_due: 2000, amount_paid: 2000, currency: 'usd', payment_intent: 'pi_1' }

describe('an event that is parked', () => {
  it.each(['9007199254740993', '1e400', '10.5', '-1', '"2000"', 'true', '[2000]', '{}'])('has amount %s', (amount) => {
    const event = buildStoredText('payment_intent.succeeded', `{"id":"pi_1","amount":${amount},"currency":"usd"}`)

    expect(interpretEvent(event, OPTIONS)).toMatchObject({ kind: 'parked', reason: 'amount_invalid' })
  })

  it.each([
    ['payment_intent.succeeded', 'amount_received', INTENT],
    ['charge.refunded', 'amount_captured', CHARGE],
    ['charge.refunded', 'amount_refunded', CHARGE],
    ['refund.created', 'amount', REFUND],
    ['charge.dispute.created', 'amount', DISPUTE],
    ['checkout.session.completed', 'amount_total', SESSION],
    ['invoice.paid', 'amount_due', INVOICE],
    ['invoice.paid', 'amount_paid', INVOICE],
  ])('is a %s whose %s cannot be trusted, and the reason names it', (type, field, object) => {
    const interpretation = interpretEvent(buildStoredEvent(type, { ...object, [field]: 2 ** 53 }), OPTIONS)

    expect(interpretation).toMatchObject({ kind: 'parked', reason: `${field}_invalid` })
  })

  it.each([
    ['payment_intent.succeeded', { ...INTENT, amount: null }],
    ['payment_intent.succeeded', { ...INTENT, amount: undefined }],
    ['charge.failed', { ...CHARGE, amount: null }],
    ['refund.created', { ...REFUND, amount: null }],
    ['charge.dispute.created', { ...DISPUTE, amount: undefined }],
    ['checkout.session.completed', { ...SESSION, amount_total: null }],
    ['invoice.paid', { ...INVOICE, amount_due: null, amount_paid: null }],
  ])('is a %s that has no amount', (type, object) => {
    const interpretation = interpretEvent(buildStoredEvent(type, object), OPTIONS)

    expect(interpretation).toMatchObject({ kind: 'parked', reason: 'amount_missing' })
  })

  it.each(['ABC', '', 'us', 'dollar', '840', '__proto__', null, undefined, 840, {}])('has the currency %j', (currency) => {
    const interpretation = interpretEvent(buildStoredEvent('payment_intent.succeeded', { ...INTENT, currency }), OPTIONS)

    expect(interpretation).toMatchObject({ kind: 'parked', reason: 'currency_invalid' })
  })

  it.each([
    ['refund.created', REFUND],
    ['charge.dispute.created', DISPUTE],
    ['invoice.paid', INVOICE],
    ['checkout.session.expired', { ...SESSION, payment_status: 'unpaid' }],
  ])('is a %s with a currency that never was', (type, object) => {
    const interpretation = interpretEvent(buildStoredEvent(type, { ...object, currency: 'abc' }), OPTIONS)

    expect(interpretation).toMatchObject({ kind: 'parked', reason: 'currency_invalid' })
  })

  it.each([undefined, null, '', 1, 'pi 1', 'pi_1\0', 'pi_é', 'pi_\ud800', 'p'.repeat(256), 'p'.repeat(10_240)])(
    'has the payment id %j',
    (id) => {
      const interpretation = interpretEvent(buildStoredEvent('payment_intent.succeeded', { ...INTENT, id }), OPTIONS)

      expect(interpretation).toMatchObject({ kind: 'parked', reason: 'payment_id_invalid' })
    },
  )

  it('is a thin event, found by its related object', () => {
    const body = { id: 'evt_1', object: 'v2.core.event', type: 'v2.core.x', related_object: { id: 'cus_1', type: 'customer', url: '/v1' } }

    const interpretation = interpretEvent(buildStoredEvent('v2.core.x', null, { bodies: [body] }), OPTIONS)

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

    const interpretation = interpretEvent(buildStoredEvent('v2.core.x', null, { bodies: [body] }), OPTIONS)

    expect(interpretation).toEqual({ kind: 'parked', reason: 'thin_event', references: [] })
  })

  it('is found by its references all the same', () => {
    const intent = { ...INTENT, amount: -1, metadata: { order_id: 'ord_1' } }

    const { references } = interpretEvent(buildStoredEvent('payment_intent.succeeded', intent), OPTIONS)

    expect(references).toEqual([
      { kind: 'payment_intent', value: 'pi_1' },
      { kind: 'order', value: 'ord_1' },
    ])
  })
})

describe('an amount that can be trusted', () => {
  it.each([
    [0, 0n],
    [1, 1n],
    [Number.MAX_SAFE_INTEGER, 9_007_199_254_740_991n],
  ])('is %d', (amount, minor) => {
    const [fact] = readFacts('payment_intent.created', { ...INTENT, amount })

    expect(fact?.amountMinor).toBe(minor)
  })

  it.each(['usd', 'EUR', 'jpy', 'kwd', 'isk'])('may be in %s', (currency) => {
    const [fact] = readFacts('payment_intent.succeeded', { ...INTENT, currency })

    expect(fact?.currency).toBe(currency.toUpperCase())
  })
})

describe('whatever a sender writes', () => {
  const likely = fc.constantFrom<unknown>(
    'pi_1',
    'in_1',
    'usd',
    2000,
    0,
    null,
    true,
    'paid',
    'setup',
    { id: 'pi_2' },
    { order_id: 'o' },
    { data: [REFUND, null, { status: 'paid', amount_paid: 1, payment: { payment_intent: 'pi_3' } }] },
  )
  const hostile = fc.constantFrom<unknown>(
    '__proto__',
    'x'.repeat(10_240),
    'a\0',
    '\ud800',
    -1,
    1e300,
    10.5,
    [],
    {},
    { id: {} },
    { data: {} },
  )
  const value = fc.oneof({ weight: 3, arbitrary: likely }, { weight: 1, arbitrary: hostile }, { weight: 1, arbitrary: fc.jsonValue() })
  const field = fc.constantFrom(...Object.keys(stripeObjectSchema.shape))
  const stripeObject = fc
    .tuple(
      fc.constantFrom<object>({}, INTENT, CHARGE, REFUND, DISPUTE, SESSION, INVOICE, { ...INTENT, ...SESSION }),
      fc.dictionary(field, value, { maxKeys: 4 }),
    )
    .map(([sound, changes]) => ({ ...sound, ...changes }))
  const type = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...FACT_RULES.keys()) },
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
    .tuple(type, fc.array(body, { minLength: 1, maxLength: 2 }), fc.boolean(), fc.constantFrom(null, '2024-06-20', '2026-10-28.endive'))
    .map(([type, bodies, hasTime, apiVersion]) =>
      buildStoredEvent(type, null, { bodies, apiVersion, ...(!hasTime && { occurredAt: null }) }),
    )

  it('is interpreted without a throw, as facts with whole amounts and as references that can be stored', () => {
    const count = { facts: 0, parked: 0, ignored: 0 }

    fc.assert(
      fc.property(stored, fc.constantFrom<string[][]>(['order_id'], ['__proto__', 'constructor']), (event: StoredEvent, orderKeys) => {
        const interpretation = interpretEvent(event, { orderKeys })
        count[interpretation.kind] += 1
        for (const { kind, value } of interpretation.references) {
          expect([typeof kind, typeof value]).toEqual(['string', 'string'])
          expect(value.length > 0 && value.length <= 255 && !value.includes('\0') && value.isWellFormed()).toBe(true)
        }
        for (const fact of interpretation.kind === 'facts' ? interpretation.facts : []) {
          const amounts = [fact.amountMinor, fact.receivedMinor, fact.settledMinor, fact.refundedMinor, fact.releasedMinor]
          expect(amounts.every((minor) => minor === undefined || (minor >= 0n && minor <= Number.MAX_SAFE_INTEGER))).toBe(true)
          expect(fact.amountMinor === undefined && fact.settledMinor === undefined).toBe(fact.currency === undefined)
          for (const { id } of [fact.object, ...fact.relatesTo]) expect(id).toMatch(/^[\x21-\x7e]{1,255}$/)
        }
      }),
      { numRuns: 2000 },
    )

    expect(Math.min(count.facts, count.parked, count.ignored)).toBeGreaterThan(150)
  })
})
