import { timeAt } from '../history/history.ts'
import { listLookup, type Subject } from './lookup.ts'

const filters: [string, (subject: Subject) => Record<string, string>][] = [
  ['orders', () => ({})],
  ['status, frequent', () => ({ status: 'paid' })],
  ['status, rare', () => ({ status: 'charged_back' })],
  ['status, none', () => ({ status: 'failed' })],
  ['flag, frequent', () => ({ flag: 'unregistered' })],
  ['flag, rare', () => ({ flag: 'overpaid' })],
  ['flag, none', () => ({ flag: 'out_of_band' })],
  ['updated_from', ({ history }) => ({ updated_from: timeAt(history, 0.05) })],
  ['updated_to', ({ history }) => ({ updated_to: timeAt(history, 0.5) })],
  ['updated_from, updated_to', ({ history }) => ({ updated_from: timeAt(history, 0.05), updated_to: timeAt(history, 0.5) })],
  ['status, flag: frequent', () => ({ status: 'paid', flag: 'unregistered' })],
  ['status, flag: rare', () => ({ status: 'paid', flag: 'overpaid' })],
  ['status, flag: frequent, never together', () => ({ status: 'refunded', flag: 'amount_mismatch' })],
  ['status, updated_to', ({ history }) => ({ status: 'disputed', updated_to: timeAt(history, 0.5) })],
  ['flag, updated_to', ({ history }) => ({ flag: 'unregistered', updated_to: timeAt(history, 0.5) })],
]

export const ORDER_LOOKUPS = filters.map(([name, filter]) => listLookup('/api/orders', name, filter))
