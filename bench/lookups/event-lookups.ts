import { timeAt } from '../history/history.ts'
import { listLookup, type Subject } from './lookup.ts'

const GUEST = 'cus_guest'
const SUCCEEDED = 'payment_intent.succeeded'

const filters: [string, (subject: Subject) => Record<string, string>][] = [
  ['events', () => ({})],
  ['provider, frequent', () => ({ provider: 'stripe' })],
  ['provider, rare', () => ({ provider: 'adyen' })],
  ['type, frequent', () => ({ type: SUCCEEDED })],
  ['type, rare', () => ({ type: 'charge.dispute.created' })],
  ['status, frequent', () => ({ status: 'processed' })],
  ['status, rare', () => ({ status: 'dead' })],
  ['status, none', () => ({ status: 'received' })],
  ['livemode, frequent', () => ({ livemode: 'true' })],
  ['livemode, rare', () => ({ livemode: 'false' })],
  ['order_id', ({ order }) => ({ order_id: `ord_${order()}` })],
  ['reference: payment intent', ({ order }) => ({ reference: `pi_${order()}` })],
  ['reference: charge', ({ order }) => ({ reference: `ch_${order()}` })],
  ['reference: checkout session', ({ order }) => ({ reference: `cs_${order()}` })],
  ['reference: invoice', ({ order }) => ({ reference: `in_${order(10, 6)}` })],
  ['reference: subscription', ({ order }) => ({ reference: `sub_${order(10, 7)}` })],
  ['reference: refund', ({ order }) => ({ reference: `re_${order(10, 8)}` })],
  ['reference: dispute', ({ order }) => ({ reference: `dp_${order(100, 9)}` })],
  ['reference: customer', ({ order }) => ({ reference: `cus_${order(5)}` })],
  ['reference: customer of every 20th order', () => ({ reference: GUEST })],
  ['reference: e-mail', ({ order }) => ({ reference: `customer-${order(5)}@example.com` })],
  ['reference: none', () => ({ reference: 'pi_unknown' })],
  ['received_from', ({ history }) => ({ received_from: timeAt(history, 0.05) })],
  ['received_to', ({ history }) => ({ received_to: timeAt(history, 0.5) })],
  ['received_from, received_to', ({ history }) => ({ received_from: timeAt(history, 0.05), received_to: timeAt(history, 0.5) })],
  ['type, status: rare', () => ({ type: SUCCEEDED, status: 'dead' })],
  ['type, status: frequent, never together', () => ({ type: SUCCEEDED, status: 'ignored' })],
  ['provider, livemode: rare, never together', () => ({ provider: 'adyen', livemode: 'false' })],
  ['provider, type, status, livemode: frequent', () => ({ provider: 'stripe', type: SUCCEEDED, status: 'processed', livemode: 'true' })],
  ['status, received_to', ({ history }) => ({ status: 'dead', received_to: timeAt(history, 0.5) })],
  [
    'type, received_from, received_to',
    ({ history }) => ({ type: SUCCEEDED, received_from: timeAt(history, 0.05), received_to: timeAt(history, 0.5) }),
  ],
  ['reference: frequent, received_to', ({ history }) => ({ reference: GUEST, received_to: timeAt(history, 0.5) })],
  ['reference: frequent, status: rare', () => ({ reference: GUEST, status: 'dead' })],
  ['reference: frequent, type: rare', () => ({ reference: GUEST, type: 'charge.dispute.created' })],
  ['reference: frequent, order_id', ({ order }) => ({ reference: GUEST, order_id: `ord_${order(20, 5)}` })],
]

export const EVENT_LOOKUPS = filters.map(([name, filter]) => listLookup('/api/events', name, filter))
