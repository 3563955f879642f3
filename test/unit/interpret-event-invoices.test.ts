import { describe, expect, it } from '@jest/globals'
import { interpretEvent } from '../../src/providers/stripe/interpret-event.ts'
import { readFacts } from '../helpers/build-fact.ts'
import { buildStoredEvent } from '../helpers/build-stored-event.ts'

const SESSION = { id: 'cs_1', object: 'checkout.session', mode: 'payment', amount_total: 2000, currency: 'usd', payment_status: 'paid' }
const INVOICE = { id: 'in_1', object: 'invoice', amount_due: 2000, amount_paid: 2000, currency: 'usd', billing_reason: 'manual' }
const INVOICE_REF = { kind: 'invoice', id: 'in_1' }
const PAYMENT_REF = { kind: 'payment', id: 'pi_1' }
const CHARGE_REF = { kind: 'charge', id: 'ch_1' }
const ofIntent = (id: unknown) => ({ type: 'payment_intent', payment_intent: id })

function interpret(type: string, object: unknown) {
  return interpretEvent(buildStoredEvent(type, object), { orderKeys: ['order_id'] })
}

describe('an event about a checkout session', () => {
  it.each([
    ['checkout.session.completed', 'paid', 'checkout.completed', 'succeeded', 2000n],
    ['checkout.session.completed', 'no_payment_required', 'checkout.completed', 'succeeded', 0n],
    ['checkout.session.completed', 'unpaid', 'checkout.completed', 'processing', undefined],
    ['checkout.session.async_payment_succeeded', 'paid', 'checkout.succeeded', 'succeeded', 2000n],
    ['checkout.session.async_payment_failed', 'unpaid', 'checkout.failed', 'failed', undefined],
    ['checkout.session.expired', 'unpaid', 'checkout.expired', 'canceled', undefined],
  ])('says of %s with payment_status %s: %s, %s, received %s', (type, paymentStatus, name, state, receivedMinor) => {
    const [fact] = readFacts(type, { ...SESSION, payment_status: paymentStatus, payment_intent: 'pi_1' })

    expect(fact).toMatchObject({ name, state, object: { kind: 'checkout', id: 'cs_1' }, relatesTo: [PAYMENT_REF], amountMinor: 2000n })
    expect(fact?.receivedMinor).toBe(receivedMinor)
  })

  it('names neither payment nor invoice when there is nothing to pay', () => {
    const free = { ...SESSION, payment_status: 'no_payment_required', amount_total: 0, payment_intent: null }

    const [fact] = readFacts('checkout.session.completed', free)

    expect(fact).toMatchObject({ relatesTo: [], state: 'succeeded', amountMinor: 0n, receivedMinor: 0n })
  })

  it('names the invoice of a subscription, and never the subscription', () => {
    const session = { ...SESSION, mode: 'subscription', payment_intent: null, invoice: 'in_1', subscription: 'sub_1' }

    const [fact] = readFacts('checkout.session.completed', session)

    expect(fact?.relatesTo).toEqual([INVOICE_REF])
  })

  it('names payment and invoice also where they are expanded', () => {
    const [fact] = readFacts('checkout.session.completed', {
      ...SESSION,
      payment_intent: { id: 'pi_1', object: 'payment_intent', amount: 2000 },
      invoice: { id: 'in_1' },
    })

    expect(fact?.relatesTo).toEqual([PAYMENT_REF, INVOICE_REF])
  })

  it('is ignored when the session only sets up a payment method', () => {
    const session = { ...SESSION, mode: 'setup', amount_total: null, currency: null, setup_intent: 'seti_1' }

    const interpretation = interpret('checkout.session.completed', session)

    expect(interpretation).toMatchObject({ kind: 'ignored', reason: 'setup_mode' })
  })

  it.each(['refunded', '', null, undefined, 'PAID', 17])('is parked with the unknown payment_status %j', (paymentStatus) => {
    const interpretation = interpret('checkout.session.completed', { ...SESSION, payment_status: paymentStatus })

    expect(interpretation).toMatchObject({ kind: 'parked', reason: 'payment_status_unknown' })
  })
})

describe('an event about an invoice', () => {
  it.each([
    ['invoice.paid', 'invoice.paid', 'succeeded', 2000, 2000n],
    ['invoice.payment_succeeded', 'invoice.paid', 'succeeded', 2000, 2000n],
    ['invoice.payment_failed', 'invoice.payment_failed', 'failed', 0, 0n],
    ['invoice.voided', 'invoice.voided', 'canceled', 0, 0n],
  ])('says of %s: %s, %s', (type, name, state, paid, receivedMinor) => {
    const facts = readFacts(type, { ...INVOICE, amount_paid: paid })

    expect(facts).toMatchObject([{ name, state, object: INVOICE_REF, relatesTo: [], amountMinor: 2000n, receivedMinor }])
  })

  it('says before 2025-03-31 which payment and charge paid it', () => {
    const facts = readFacts('invoice.paid', { ...INVOICE, payment_intent: 'pi_1', charge: { id: 'ch_1' } }, { apiVersion: '2024-06-20' })

    expect(facts).toMatchObject([
      { object: INVOICE_REF, relatesTo: [PAYMENT_REF, CHARGE_REF] },
      { object: CHARGE_REF, relatesTo: [PAYMENT_REF] },
    ])
  })

  it('says since 2025-03-31 which payments it has, and what each paid', () => {
    const data = [
      { status: 'paid', amount_paid: 1500, currency: 'usd', payment: ofIntent('pi_1') },
      { status: 'paid', amount_paid: 500, payment: { type: 'charge', charge: { id: 'ch_1' } } },
      { status: 'canceled', amount_paid: null, currency: 'usd', payment: ofIntent('pi_2') },
    ]

    const [invoice, ...settled] = readFacts('invoice.paid', { ...INVOICE, payments: { object: 'list', data } })

    expect(invoice?.relatesTo).toEqual([PAYMENT_REF, CHARGE_REF, { kind: 'payment', id: 'pi_2' }])
    expect(settled).toMatchObject([
      { name: 'invoice_payment.paid', object: PAYMENT_REF, relatesTo: [INVOICE_REF], state: 'succeeded', settledMinor: 1500n },
      { name: 'invoice_payment.paid', object: CHARGE_REF, relatesTo: [INVOICE_REF], settledMinor: 500n, currency: 'USD' },
    ])
    expect(settled[0]).not.toHaveProperty('receivedMinor')
  })

  it.each([
    ['an item that is null', [null]],
    ['one without a payment', [{ status: 'paid', amount_paid: 500 }]],
    ['one whose amount cannot be trusted', [{ status: 'paid', amount_paid: -1, payment: ofIntent('pi_1') }]],
    ['one paid by a kind that is unknown', [{ status: 'paid', amount_paid: 500, payment: { type: 'payment_record' } }]],
  ])('leaves out of its payments %s', (_, data) => {
    const facts = readFacts('invoice.paid', { ...INVOICE, payments: { data } })

    expect(facts).toMatchObject([{ object: INVOICE_REF, relatesTo: [] }])
  })

  it.each([
    [true, true],
    [false, undefined],
    [null, undefined],
    ['true', undefined],
  ])('with paid_out_of_band %j', (paidOutOfBand, isOutOfBand) => {
    const [fact] = readFacts('invoice.paid', { ...INVOICE, paid_out_of_band: paidOutOfBand })

    expect(fact?.isOutOfBand).toBe(isOutOfBand)
  })

  it('is about what it paid where it does not say what is due', () => {
    const [fact] = readFacts('invoice.paid', { ...INVOICE, amount_due: undefined, amount_paid: 700 })

    expect(fact).toMatchObject({ amountMinor: 700n, receivedMinor: 700n })
  })
})

describe('an invoice payment', () => {
  const PAYMENT = { id: 'inpay_1', object: 'invoice_payment', amount_paid: 1500, currency: 'usd', invoice: 'in_1', status: 'paid' }

  it.each([
    ['payment_intent', ofIntent('pi_1'), PAYMENT_REF],
    ['expanded payment_intent', ofIntent({ id: 'pi_1', amount: 9 }), PAYMENT_REF],
    ['charge', { type: 'charge', charge: 'ch_1' }, CHARGE_REF],
  ])('says what the %s paid of the invoice', (_, payment, object) => {
    const facts = readFacts('invoice_payment.paid', { ...PAYMENT, payment })

    expect(facts).toMatchObject([{ object, relatesTo: [INVOICE_REF], state: 'succeeded', settledMinor: 1500n }])
    expect(facts[0]).not.toHaveProperty('receivedMinor')
  })

  it('names the invoice also where it is expanded', () => {
    const [fact] = readFacts('invoice_payment.paid', { ...PAYMENT, payment: ofIntent('pi_1'), invoice: { id: 'in_1' } })

    expect(fact?.relatesTo).toEqual([INVOICE_REF])
  })

  it.each([undefined, null, {}, 'pi_1', { type: 'payment_record', payment_record: 'pr_1' }])('is ignored when it is of %j', (payment) => {
    const interpretation = interpret('invoice_payment.paid', { ...PAYMENT, payment })

    expect(interpretation).toMatchObject({ kind: 'ignored', reason: 'no_payment_named' })
  })

  it.each([
    [null, 'amount_missing'],
    [1.5, 'amount_paid_invalid'],
  ])('is parked with amount_paid %j', (paid, reason) => {
    const interpretation = interpret('invoice_payment.paid', { ...PAYMENT, payment: ofIntent('pi_1'), amount_paid: paid })

    expect(interpretation).toMatchObject({ kind: 'parked', reason })
  })
})

describe('the order that an invoice names', () => {
  const named = (orderId: string) => ({ metadata: { order_id: orderId } })
  const first = { ...INVOICE, billing_reason: 'subscription_create' }
  const renewal = { ...INVOICE, billing_reason: 'subscription_cycle' }
  const orderOf = (invoice: object) => readFacts('invoice.paid', invoice)[0]?.orderId

  it.each([
    ['its own', { ...INVOICE, ...named('ord_1') }],
    ["its own before the subscription's", { ...first, ...named('ord_1'), subscription_details: named('ord_2') }],
    ["a renewal's own", { ...renewal, ...named('ord_1'), subscription_details: named('ord_2') }],
    ["the subscription's when it is the first, before 2025-03-31", { ...first, subscription_details: named('ord_1') }],
    ["the subscription's when it is the first, since 2025-03-31", { ...first, parent: { subscription_details: named('ord_1') } }],
    [
      "that of the subscription before a line's",
      { ...first, parent: { subscription_details: named('ord_1') }, lines: { data: [named('ord_2')] } },
    ],
    ["its lines' when it is the first", { ...first, lines: { data: [{}, null, named('ord_1'), named('ord_2')] } }],
  ])('is %s', (_, invoice) => {
    expect(orderOf(invoice)).toBe('ord_1')
  })

  it.each([
    ['a renewal has only that of its subscription', { ...renewal, subscription_details: named('ord_1') }],
    ['a renewal has only that of its parent', { ...renewal, parent: { subscription_details: named('ord_1') } }],
    ['a renewal has only that of its lines', { ...renewal, lines: { data: [named('ord_1')] } }],
    ['it is not said why it was made', { ...INVOICE, billing_reason: null, subscription_details: named('ord_1') }],
    ['the subscription names none', { ...first, subscription_details: { metadata: {} }, parent: null, lines: { data: [] } }],
  ])('is none when %s', (_, invoice) => {
    expect(orderOf(invoice)).toBeUndefined()
  })

  it('is what people find the event by', () => {
    const { references } = interpret('invoice.paid', { ...first, subscription_details: named('ord_1') })

    expect(references).toContainEqual({ kind: 'order', value: 'ord_1' })
  })
})
