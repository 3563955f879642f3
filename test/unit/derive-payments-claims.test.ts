import { describe, expect, it } from '@jest/globals'
import type { PaymentFact } from '../../src/events/payment-fact.ts'
import { derivePayments } from '../../src/orders/derive-payments.ts'
import { applyFact, buildLedger, hear } from '../../src/orders/ledger.ts'
import { refOf } from '../../src/orders/object-key.ts'
import { at, buildFact } from '../helpers/build-fact.ts'

/** A person's word on which order the object with this key belongs to. */
type Link = { key: string; orderId: string; second: number; linkId?: string }

const intent = (orderId?: string) => buildFact('payment/pi_1', { state: 'succeeded', ...(orderId && { orderId }) })
const charge = (orderId: string, id = 'ch_1') => buildFact(`charge/${id}`, { orderId, names: ['payment/pi_1'] })
const checkout = (orderId: string, id = 'cs_1') => buildFact(`checkout/${id}`, { orderId, names: ['payment/pi_1'], occurredAt: at(9) })
const invoice = (orderId: string, names = ['payment/pi_1']) => buildFact('invoice/in_1', { state: 'succeeded', orderId, names })
const ownCheckout = (orderId: string) => buildFact('checkout/cs_2', { orderId, names: ['invoice/in_1'] })

function claimsOf(facts: PaymentFact[], links: Link[] = []) {
  const [forwards, backwards] = [false, true].map((isReversed) => {
    const ledger = buildLedger([])
    for (const fact of isReversed ? facts.toReversed() : facts) applyFact(ledger, fact)
    for (const { key, orderId, second, linkId = 'link_1' } of isReversed ? links.toReversed() : links) {
      hear(ledger, { provider: 'stripe', object: refOf(key), relatesTo: [], heard: { link: [at(second).toISOString(), linkId, orderId] } })
    }
    const payments = derivePayments([...ledger.objects.values()])
    return payments.map(({ paymentId, orderId, rivalOrderIds }) => [paymentId, orderId, ...rivalOrderIds])
  })
  expect(backwards).toEqual(forwards)
  return forwards
}

describe('the order that a payment is for', () => {
  it.each([
    ['none when nothing names one', [intent()], [null]],
    ['what it names itself', [intent('ord_1')], ['ord_1']],
    ['what it names itself before its charge, which is a rival', [intent('ord_2'), charge('ord_1')], ['ord_2', 'ord_1']],
    ['what its charge names before its checkout', [intent(), charge('ord_2'), checkout('ord_1')], ['ord_2', 'ord_1']],
    ['what only its checkout names', [intent(), checkout('ord_1')], ['ord_1']],
    ['what only its invoice names', [intent(), invoice('ord_1')], ['ord_1']],
    ["what only its invoice's checkout names", [intent(), invoice('ord_1'), ownCheckout('ord_1')], ['ord_1']],
    ['the smaller of checkout and invoice', [intent(), checkout('ord_2'), invoice('ord_1')], ['ord_1', 'ord_2']],
    ['the smaller of two charges, whichever is later', [intent(), charge('ord_2'), charge('ord_1', 'ch_0')], ['ord_1', 'ord_2']],
    ['one without rivals when all name the same', [intent('ord_1'), charge('ord_1'), checkout('ord_1'), invoice('ord_1')], ['ord_1']],
    [
      'one with every other as a rival, each once',
      [intent('ord_2'), charge('ord_3'), checkout('ord_1'), checkout('ord_3', 'cs_0')],
      ['ord_2', 'ord_1', 'ord_3'],
    ],
  ])('is %s', (_, facts, claim) => {
    expect(claimsOf(facts)).toEqual([['pi_1', ...claim]])
  })

  it('is the latest that one object named, and what it named before is no rival', () => {
    const before = { ...intent('ord_1'), occurredAt: at(0), eventId: 'evt_0' }

    expect(claimsOf([before, { ...intent('ord_2'), occurredAt: at(1) }])).toEqual([['pi_1', 'ord_2']])
  })

  it('is what its invoice names for each of its payments', () => {
    const other = buildFact('payment/pi_2', { state: 'succeeded' })

    expect(claimsOf([intent(), other, invoice('ord_1', ['payment/pi_1', 'payment/pi_2'])])).toEqual([
      ['pi_1', 'ord_1'],
      ['pi_2', 'ord_1'],
    ])
  })

  it('is, for what an invoice received beyond its payments, what the invoice names and not what they name', () => {
    const more = buildFact('invoice/in_1', { state: 'succeeded', amountMinor: 3000n, names: ['payment/pi_1'] })

    expect(claimsOf([intent('ord_1'), more])).toEqual([
      ['pi_1', 'ord_1'],
      ['in_1', null],
    ])
    expect(claimsOf([intent('ord_1'), more, ownCheckout('ord_2')])).toEqual([
      ['pi_1', 'ord_1', 'ord_2'],
      ['in_1', 'ord_2'],
    ])
  })
})

describe('an order that a person linked', () => {
  const refund = buildFact('refund/re_1', { state: 'succeeded', amountMinor: 100n, names: ['charge/ch_1'] })
  const dispute = buildFact('dispute/du_1', { state: 'open', names: ['charge/ch_1'] })
  const story = [intent('ord_1'), charge('ord_2'), checkout('ord_3'), invoice('ord_4'), ownCheckout('ord_5'), refund, dispute]

  it.each(['payment/pi_1', 'charge/ch_1', 'checkout/cs_1', 'checkout/cs_2', 'invoice/in_1', 'refund/re_1', 'dispute/du_1'])(
    'by %s wins over everything that events name, and leaves no rival',
    (key) => {
      expect(claimsOf(story, [{ key, orderId: 'ord_9', second: 1 }])).toEqual([['pi_1', 'ord_9']])
    },
  )

  it('is the one of the latest link, on whichever of its objects', () => {
    const links = [
      { key: 'payment/pi_1', orderId: 'ord_8', second: 1 },
      { key: 'refund/re_1', orderId: 'ord_9', second: 2 },
    ]

    expect(claimsOf(story, links)).toEqual([['pi_1', 'ord_9']])
  })

  it('is the one of the greater link id when two were made at one time', () => {
    const links = [
      { key: 'payment/pi_1', orderId: 'ord_9', second: 1, linkId: 'link_2' },
      { key: 'charge/ch_1', orderId: 'ord_8', second: 1, linkId: 'link_1' },
    ]

    expect(claimsOf(story, links)).toEqual([['pi_1', 'ord_9']])
  })

  it('by an invoice is also the order of what the invoice is itself, and by its payment is not', () => {
    const more = buildFact('invoice/in_1', { state: 'succeeded', amountMinor: 3000n, names: ['payment/pi_1'] })

    expect(claimsOf([intent('ord_1'), more], [{ key: 'invoice/in_1', orderId: 'ord_9', second: 1 }])).toEqual([
      ['pi_1', 'ord_9'],
      ['in_1', 'ord_9'],
    ])
    expect(claimsOf([intent('ord_1'), more], [{ key: 'payment/pi_1', orderId: 'ord_9', second: 1 }])).toEqual([
      ['pi_1', 'ord_9'],
      ['in_1', null],
    ])
  })
})
