import { describe, expect, it } from '@jest/globals'
import { checkSignatureHeader } from '../../src/providers/stripe/check-signature-header.ts'
import { catchRefusal } from '../helpers/catch-refusal.ts'

// 1767225600 seconds, and the half second that must not count.
const NOW = new Date('2026-01-01T00:00:00.500Z')
const T = 't=1767225600'
const A = 'a'.repeat(64)
const B = 'b'.repeat(64)

function check(header: string | string[] | undefined) {
  return checkSignatureHeader({ 'stripe-signature': header }, NOW)
}

function refusal(header: string | string[] | undefined) {
  return catchRefusal(() => check(header))
}

describe('checkSignatureHeader', () => {
  it('gives the time, the signatures and the offset of the clock when the header is well-formed', () => {
    const checked = check(`t=1767225590,v1=${A},v1=${B},v0=${B}`)

    expect(checked).toEqual({ timestampSeconds: 1_767_225_590, signatures: [A, B], clockOffsetSeconds: -10 })
  })

  it('finds the items in any order', () => {
    const checked = check(`v0=${B},v1=${A},${T}`)

    expect(checked).toMatchObject({ timestampSeconds: 1_767_225_600, signatures: [A] })
  })

  it.each([
    ['absent', undefined],
    ['empty', ''],
  ])('answers 400 signature_missing when the header is %s', (_, header) => {
    const error = refusal(header)

    expect([error.status, error.code]).toEqual([400, 'signature_missing'])
  })

  it('answers 400 signature_malformed when the header stands there twice', () => {
    const error = refusal([`${T},v1=${A}`, `${T},v1=${A}`])

    expect([error.status, error.code]).toEqual([400, 'signature_malformed'])
  })

  it('never repeats what was sent when it refuses', () => {
    const error = refusal(`t=attack-at-dawn,v1=${A}`)

    expect(error.message).not.toContain('attack')
    expect(JSON.stringify(error.diagnosis)).not.toContain('attack')
  })
})

describe('the time in the header', () => {
  it.each([
    ['there is none', `v1=${A}`],
    ['it is text', `t=abc,v1=${A}`],
    ['digits are followed by text', `t=1767225600abc,v1=${A}`],
    ['it is empty', `t=,v1=${A}`],
    ['it has a leading zero', `t=01767225600,v1=${A}`],
    ['it has a sign', `t=+1767225600,v1=${A}`],
    ['it is negative', `t=-1767225600,v1=${A}`],
    ['it has a fraction', `t=1767225600.0,v1=${A}`],
    ['it has an exponent', `t=17672256e2,v1=${A}`],
    ['it is hexadecimal', `t=0x69557800,v1=${A}`],
    ['a space precedes it', `t= 1767225600,v1=${A}`],
    ['a space follows it', `t=1767225600 ,v1=${A}`],
    ['the item begins with a space', ` ${T},v1=${A}`],
    ['its name is in upper case', `T=1767225600,v1=${A}`],
    ['its digits are full-width', `t=１７６７２２５６００,v1=${A}`],
    ['it has more digits than a time has', `t=1767225600000,v1=${A}`],
    ['it stands there twice', `${T},t=1767225601,v1=${A}`],
    ['it stands there twice with one value', `${T},${T},v1=${A}`],
    ['a broken one stands beside it', `${T},t=abc,v1=${A}`],
    ['a broken one without = stands beside it', `${T},v1=${A},t`],
  ])('answers 400 signature_malformed when %s', (_, header) => {
    const error = refusal(header)

    expect([error.status, error.code]).toEqual([400, 'signature_malformed'])
  })

  it.each([
    ['300 s old', 't=1767225300', -300],
    ['299 s old', 't=1767225301', -299],
    ['300 s ahead', 't=1767225900', 300],
  ])('is accepted when it is %s', (_, time, clockOffsetSeconds) => {
    const checked = check(`${time},v1=${A}`)

    expect(checked.clockOffsetSeconds).toBe(clockOffsetSeconds)
  })

  it.each([
    ['301 s old', 't=1767225299', -301, 'past'],
    ['301 s ahead', 't=1767225901', 301, 'future'],
    ['an hour ahead', 't=1767229200', 3600, 'future'],
    ['0', 't=0', -1_767_225_600, 'past'],
  ])('is refused with how far the clock is off when it is %s', (_, time, clockOffsetSeconds, where) => {
    const error = refusal(`${time},v1=${A}`)

    expect([error.status, error.code]).toEqual([400, 'timestamp_out_of_tolerance'])
    expect(error.message).toContain(`in the ${where}`)
    expect(error.diagnosis).toMatchObject({ clockOffsetSeconds })
  })

  it('is judged after the form: a header both malformed and old is malformed', () => {
    const error = refusal('t=1,v1=short')

    expect(error.code).toBe('signature_malformed')
  })
})

describe('the signatures in the header', () => {
  it.each([
    ['is empty', 'v1='],
    ['has no =', 'v1'],
    ['has 63 digits', `v1=${'b'.repeat(63)}`],
    ['has 65 digits', `v1=${'b'.repeat(65)}`],
    ['is in upper case', `v1=${'B'.repeat(64)}`],
    ['is not hexadecimal', `v1=${'g'.repeat(64)}`],
    ['is latin-1', `v1=${'é'.repeat(64)}`],
    ['ends with a space', `v1=${B} `],
    ['begins with a space', ` v1=${B}`],
    ['has a second =', `v1=${B}=`],
    ['is of another scheme', `v0=${B}`],
    ['is of a longer scheme', `v10=${B}`],
  ])('counts the good one alone when another beside it %s', (_, other) => {
    const checked = check(`${T},${other},v1=${A}`)

    expect(checked.signatures).toEqual([A])
  })

  it.each([
    ['there is none', T],
    ['there is only a v0', `${T},v0=${A}`],
    ['the only one is empty', `${T},v1=`],
    ['the only one is in upper case', `${T},v1=${'A'.repeat(64)}`],
    ['the only one is latin-1', `${T},v1=${'é'.repeat(64)}`],
    ['items are separated by comma and space', `${T}, v1=${A}`],
    ['items are separated by semicolons', `${T};v1=${A}`],
  ])('answer 400 signature_malformed when %s', (_, header) => {
    const error = refusal(header)

    expect([error.status, error.code]).toEqual([400, 'signature_malformed'])
  })

  it('are accepted when there are 16', () => {
    const checked = check(`${T}${`,v1=${A}`.repeat(16)}`)

    expect(checked.signatures).toHaveLength(16)
  })

  it.each([
    ['17', `${T}${`,v1=${A}`.repeat(17)}`],
    ['17 of which 16 are empty', `${T},v1=${A}${',v1='.repeat(16)}`],
    ['500 short ones', `${T},v1=${A}${',v1=ab'.repeat(499)}`],
    ['500', `${T}${`,v1=${A}`.repeat(500)}`],
  ])('answer 400 signature_malformed when there are %s', (_, header) => {
    const error = refusal(header)

    expect([error.status, error.code]).toEqual([400, 'signature_malformed'])
  })
})

describe('the length of the header', () => {
  const good = `${T},v1=${A},v9=`

  it('may be 4096 characters', () => {
    const checked = check(good.padEnd(4096, 'x'))

    expect(checked.signatures).toEqual([A])
  })

  it.each([4097, 8192])('answers 400 signature_malformed when it is %i characters', (length) => {
    const error = refusal(good.padEnd(length, 'x'))

    expect([error.status, error.code]).toEqual([400, 'signature_malformed'])
  })
})
