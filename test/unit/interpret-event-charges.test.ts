import { describe, expect, it } from '@jest/globals'
import { interpretEvent } from '../../src/providers/stripe/interpret-event.ts'
import { at, readFacts } from '../helpers/build-fact.ts'
import { buildStoredEvent } from '../helpers/build-stored-event.ts'

const CHARGE = {
  id: 'ch_1',
  object: 'charge',
  amount: 2000,
  amount_captured: 2000,
  amount_refunded: 0,
  currency: 'usd',
  captured: true,
  status: 'succeeded',
  payment_intent: 'pi_1',
}
const UNCAPTURED = { ...CHARGE, captured: false, amount_captured: 0 }
const SECONDS = at(0).getTime() / 1000
const REFUND = {
  id: 're_1',
  object: 'refund',
  amount: 500,
  currency: 'usd',
  charge: 'ch_1',
  payment_intent: 'pi_1',
  status: 'succeeded',
  created: SECONDS,
}
const DISPUTE = {
  id: 'du_1',
  object: 'dispute',
  amount: 2000,
  currency: 'usd',
  charge: 'ch_1',
  payment_intent: 'pi_1',
  status: 'needs_response',
}
const PAYMENT_REF = { kind: 'payment', id: 'pi_1' }
const CHARGE_REF = { kind: 'charge', id: 'ch_1' }

function interpret(type: string, object: unknown) {
  return interpretEvent(buildStoredEvent(type, object), { orderKeys: ['order_id'] })
}

describe('an event about a charge', () => {
  it.each([
    ['charge.pending', { ...CHARGE, status: 'pending', captured: false }, 'processing'],
    ['charge.succeeded', UNCAPTURED, 'authorized'],
    ['charge.failed', { ...CHARGE, status: 'failed', captured: false }, 'failed'],
    ['charge.expired', UNCAPTURED, 'canceled'],
  ])('says of %s nothing of what has arrived, with its state', (type, charge, state) => {
    const [fact] = readFacts(type, charge)

    expect(fact).toMatchObject({ name: type, object: CHARGE_REF, relatesTo: [PAYMENT_REF], state, amountMinor: 2000n })
    expect(fact).not.toHaveProperty('receivedMinor')
  })

  it.each(['charge.succeeded', 'charge.captured', 'charge.updated', 'charge.refunded'])(
    'says of a captured %s what has arrived',
    (type) => {
      const [fact] = readFacts(type, { ...CHARGE, amount_captured: 1500 })

      expect(fact).toMatchObject({ name: type, state: 'succeeded', amountMinor: 2000n, receivedMinor: 1500n })
    },
  )

  it.each([
    ['charge.updated', 'is not captured', UNCAPTURED],
    ['charge.updated', 'is pending', { ...CHARGE, status: 'pending' }],
    ['charge.updated', 'failed', { ...CHARGE, status: 'failed' }],
    ['charge.refunded', 'is not captured', { ...UNCAPTURED, amount_refunded: 2000 }],
  ])('says of a %s no state when the charge %s', (type, _, charge) => {
    const [fact] = readFacts(type, charge)

    expect(fact).not.toHaveProperty('state')
    expect(fact).not.toHaveProperty('receivedMinor')
  })

  it('names its payment and its invoice, also expanded, and the order', () => {
    const charge = { ...CHARGE, payment_intent: { id: 'pi_1', amount: 2000 }, invoice: { id: 'in_1' }, metadata: { order_id: 'ord_1' } }

    const [fact] = readFacts('charge.succeeded', charge)

    expect(fact).toMatchObject({ relatesTo: [PAYMENT_REF, { kind: 'invoice', id: 'in_1' }], orderId: 'ord_1' })
  })

  it('names nothing when it has neither payment nor invoice', () => {
    const [fact] = readFacts('charge.succeeded', { ...CHARGE, payment_intent: null })

    expect(fact).toMatchObject({ object: CHARGE_REF, relatesTo: [] })
  })

  it.each(['charge.succeeded', 'payment.refunded'])('is ignored as %s when a connected account received it from the platform', (type) => {
    const interpretation = interpret(type, { ...CHARGE, source_transfer: 'tr_1' })

    expect(interpretation).toMatchObject({ kind: 'ignored', reason: 'source_transfer' })
  })
})

describe('what went back of a charge', () => {
  it.each([
    ['charge.refunded', CHARGE_REF, [PAYMENT_REF]],
    ['charge.updated', CHARGE_REF, [PAYMENT_REF]],
    ['payment.refunded', PAYMENT_REF, [CHARGE_REF]],
  ])('stands in %s', (type, object, relatesTo) => {
    const [fact] = readFacts(type, { ...CHARGE, amount_refunded: 500 })

    expect(fact).toMatchObject({ object, relatesTo, state: 'succeeded', receivedMinor: 2000n, refundedMinor: 500n })
  })

  it('is of the payment with its id when the generic name comes without an intent', () => {
    const [fact] = readFacts('payment.refunded', { id: 'pi_1', amount: 2000, amount_refunded: 500, currency: 'usd' })

    expect(fact).toMatchObject({ name: 'payment.refunded', object: PAYMENT_REF, relatesTo: [], receivedMinor: 2000n, refundedMinor: 500n })
  })

  it('is all of it when the generic name comes without amount_refunded', () => {
    const [fact] = readFacts('payment.refunded', { id: 'pi_1', amount: 2000, currency: 'usd' })

    expect(fact).toMatchObject({ receivedMinor: 2000n, refundedMinor: 2000n })
  })

  it('is nothing when no amount_refunded is given', () => {
    const [fact] = readFacts('charge.refunded', { ...CHARGE, amount_refunded: undefined })

    expect(fact).not.toHaveProperty('refundedMinor')
  })

  it.each([
    ['2024-06-20', 'partly captured', { amount_captured: 1500, amount_refunded: 500 }, undefined, 500n],
    ['2025-02-24.acacia', 'partly captured, 300 refunded', { amount_captured: 1500, amount_refunded: 800 }, 300n, 500n],
    ['2024-06-20', 'captured in full', { amount_refunded: 500 }, 500n, undefined],
    ['2024-06-20', 'never captured', { captured: false, amount_captured: 0, amount_refunded: 2000 }, undefined, 2000n],
    [
      '2024-06-20',
      'never captured, and says it only by the flag',
      { captured: false, amount_captured: null, amount_refunded: 2000 },
      undefined,
      2000n,
    ],
    ['2025-03-31.basil', 'partly captured, 300 refunded', { amount_captured: 1500, amount_refunded: 300 }, 300n, undefined],
    [null, 'partly captured, 300 refunded', { amount_captured: 1500, amount_refunded: 300 }, 300n, undefined],
  ])('in version %s of a charge %s', (apiVersion, _, charge, refundedMinor, releasedMinor) => {
    const [fact] = readFacts('charge.refunded', { ...CHARGE, ...charge }, { apiVersion })

    expect([fact?.refundedMinor, fact?.releasedMinor]).toEqual([refundedMinor, releasedMinor])
  })
})

describe('a refund', () => {
  it.each([
    ['refund.created', 'pending', 'refund.created', 'pending'],
    ['refund.updated', 'requires_action', 'refund.updated', 'requires_action'],
    ['refund.updated', 'succeeded', 'refund.updated', 'succeeded'],
    ['refund.updated', 'canceled', 'refund.updated', 'canceled'],
    ['charge.refund.updated', 'failed', 'refund.updated', 'failed'],
    ['refund.failed', 'succeeded', 'refund.failed', 'failed'],
    ['refund.created', null, 'refund.created', 'pending'],
  ])('of %s with status %s is told as %s, %s', (type, status, name, state) => {
    const [fact] = readFacts(type, { ...REFUND, status })

    expect(fact).toMatchObject({ name, state, object: { kind: 'refund', id: 're_1' }, relatesTo: [CHARGE_REF, PAYMENT_REF] })
    expect(fact).toMatchObject({ amountMinor: 500n, currency: 'USD', startedAt: at(0) })
  })

  it('says which payment its charge belongs to, also with both expanded', () => {
    const [, tie] = readFacts('refund.created', { ...REFUND, charge: { id: 'ch_1' }, payment_intent: { id: 'pi_1' } })

    expect(tie).toMatchObject({ object: CHARGE_REF, relatesTo: [PAYMENT_REF] })
    expect(tie).not.toHaveProperty('amountMinor')
    expect(tie).not.toHaveProperty('state')
  })

  it('may have no charge, or no payment', () => {
    const [withoutCharge, withoutPayment] = [{ charge: null }, { payment_intent: null }].map((lack) =>
      readFacts('refund.created', { ...REFUND, ...lack }),
    )

    expect(withoutCharge).toMatchObject([{ relatesTo: [PAYMENT_REF] }])
    expect(withoutPayment).toMatchObject([{ relatesTo: [CHARGE_REF] }])
  })

  it.each([undefined, null, -1, 'now', 1e15])('has no start when created is %j', (created) => {
    const [fact] = readFacts('refund.created', { ...REFUND, created })

    expect(fact).not.toHaveProperty('startedAt')
  })

  it.each(['reversed', '', '__proto__', 'SUCCEEDED'])('is parked with the unknown status %j', (status) => {
    const interpretation = interpret('refund.updated', { ...REFUND, status })

    expect(interpretation).toMatchObject({ kind: 'parked', reason: 'refund_status_unknown' })
  })

  it('is told by a charge that lists it, in the currency of the charge, but for what cannot be read', () => {
    const data = [
      { id: 're_1', amount: 300, status: 'succeeded', created: SECONDS },
      { id: 're_2', amount: 200, status: null, currency: 'eur' },
      { id: 're_3', amount: 100, status: 'reversed' },
      { id: 're_4', amount: -1, status: 'succeeded' },
      { id: 17, amount: 100, status: 'succeeded' },
      null,
    ]

    const [, ...refunds] = readFacts('charge.refunded', { ...CHARGE, amount_refunded: 500, refunds: { object: 'list', data } })

    expect(refunds).toMatchObject([
      { name: 'refund.updated', object: { kind: 'refund', id: 're_1' }, relatesTo: [CHARGE_REF, PAYMENT_REF], state: 'succeeded' },
      { object: { kind: 'refund', id: 're_2' }, state: 'pending', amountMinor: 200n, currency: 'EUR' },
    ])
    expect(refunds[0]).toMatchObject({ amountMinor: 300n, currency: 'USD', startedAt: at(0) })
  })
})

describe('a dispute', () => {
  it.each([
    ['warning_needs_response', 'inquiry'],
    ['warning_under_review', 'inquiry'],
    ['warning_closed', 'inquiry_closed'],
    ['needs_response', 'open'],
    ['under_review', 'open'],
    ['won', 'won'],
    ['lost', 'lost'],
    ['prevented', 'prevented'],
    ['charge_refunded', 'refunded'],
  ])('with status %s is %s', (status, state) => {
    const facts = readFacts('charge.dispute.updated', { ...DISPUTE, status })

    expect(facts).toMatchObject([
      { name: 'dispute.updated', object: { kind: 'dispute', id: 'du_1' }, relatesTo: [CHARGE_REF, PAYMENT_REF], state, amountMinor: 2000n },
      { object: CHARGE_REF, relatesTo: [PAYMENT_REF] },
    ])
  })

  it.each(['created', 'updated', 'closed', 'funds_withdrawn', 'funds_reinstated'])('in charge.dispute.%s carries its status', (event) => {
    const [fact] = readFacts(`charge.dispute.${event}`, { ...DISPUTE, status: 'lost' })

    expect(fact).toMatchObject({ name: `dispute.${event}`, state: 'lost' })
    expect(fact).not.toHaveProperty('receivedMinor')
  })

  it.each(['pending', '', null, undefined, 17, 'constructor'])('is parked with the unknown status %j', (status) => {
    const interpretation = interpret('charge.dispute.created', { ...DISPUTE, status })

    expect(interpretation).toMatchObject({ kind: 'parked', reason: 'dispute_status_unknown' })
  })

  it('names its charge and payment also where they are expanded', () => {
    const [fact] = readFacts('charge.dispute.created', { ...DISPUTE, charge: { id: 'ch_1' }, payment_intent: { id: 'pi_1' } })

    expect(fact?.relatesTo).toEqual([CHARGE_REF, PAYMENT_REF])
  })
})
