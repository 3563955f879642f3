import { describe, expect, it } from '@jest/globals'
import { PermanentError } from '../../src/handlers.ts'
import { isPermanent } from '../../src/processing/is-permanent.ts'

const databaseError = (code: string) => Object.assign(new Error('refused'), { code, severity: 'ERROR' })

describe('an error of an attempt', () => {
  it.each([
    ['a PermanentError', new PermanentError('this order was never ours')],
    ['a PermanentError of a handler’s own', Object.assign(new Error('never'), { name: 'PermanentError' })],
    ['a value that does not fit (22003)', databaseError('22003')],
    ['a text that is no number (22P02)', databaseError('22P02')],
    ['a NULL where none may be (23502)', databaseError('23502')],
    ['a row that breaks a check (23514)', databaseError('23514')],
  ])('is permanent: %s', (_what, error) => {
    expect(isPermanent(error)).toBe(true)
  })

  it.each([
    ['any other error', new Error('the stock service is away')],
    ['a fault of the program', new TypeError('x is not a function')],
    ['a failed fetch', new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })],
    ['a lost connection', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
    ['a row that is not there yet (23503)', databaseError('23503')],
    ['a row that is there already (23505)', databaseError('23505')],
    ['a deadlock (40P01)', databaseError('40P01')],
    ['a lock that was not granted in time (55P03)', databaseError('55P03')],
    ['a server that goes away (57P01)', databaseError('57P01')],
    ['a table that is not there (42P01)', databaseError('42P01')],
    ['what a function of the database raises (P0001)', databaseError('P0001')],
    ['a code like 22001 that is not the database’s', Object.assign(new Error('refused'), { code: '22001' })],
    ['something that is no error', 'no'],
  ])('is tried again: %s', (_what, error) => {
    expect(isPermanent(error)).toBe(false)
  })
})
