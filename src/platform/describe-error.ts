import { types } from 'node:util'
import { sqlState } from './errors.ts'

const MAX_LENGTH = 500

/**
 * An error as it may be stored and logged: its class, its code, and a message without payload. The messages of drivers and of
 * V8 quote values, so of those only the forms stand here that name no more than tables, columns and properties. A message that
 * somebody wrote is kept, shortened, without e-mail addresses and secrets; that it holds nothing else is up to who wrote it.
 */
export function describeError(error: unknown): string {
  if (!types.isNativeError(error)) return `NoError: ${typeof error === 'string' ? toSafeText(error) : 'something else was thrown'}`
  const name = classOf(error)
  const code = codeOf(error)
  // A name of a property or of a class can be a secret too.
  return toSafeText([[name, code].filter(Boolean).join(' '), messageOf(name, error)].filter(Boolean).join(': '))
}

export function isDatabaseError(error: unknown): boolean {
  return sqlState(error) !== undefined && typeof (error as { severity?: unknown }).severity === 'string'
}

const PROGRAM_ERRORS = ['TypeError', 'ReferenceError', 'RangeError', 'SyntaxError']

/** The driver calls every error of the server `error`. */
function classOf(error: Error): string {
  if (isDatabaseError(error)) return 'DatabaseError'
  return /^[A-Za-z_$][\w$]{0,60}$/.test(String(error.name)) ? error.name : 'Error'
}

function codeOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^[A-Z0-9_]{3,60}$/.test(code) ? code : undefined
}

function messageOf(name: string, error: Error): string {
  if (name === 'DatabaseError') return namesOnly(error) ? toSafeText(error.message) : 'the database refused a statement or a value in it'
  // Prisma quotes the call with its arguments.
  if (/^Prisma|^DriverAdapterError$/.test(name)) return `the database client failed${describeOrigin(error)}`
  if (!PROGRAM_ERRORS.includes(name)) return toSafeText(error.message)
  const message = NAMING_ONLY.test(error.message) ? error.message : 'the program is at fault'
  return `${message}${describePlace(error)}`
}

// Of these PostgreSQL's message names roles, tables, columns and constraints, or is what a function of the shop raised (P0). Others quote values, above all data exceptions (22).
const NAMING_STATES = /^(08|23|25|28|3D|40|53|54|55|57|58|P0|42501|42P01|42703|42883)/

function namesOnly(error: Error): boolean {
  return NAMING_STATES.test(sqlState(error) ?? '')
}

const NAMING_ONLY =
  /^(Cannot (read|set) properties of (undefined|null)( \((reading|setting) '[\w$]{1,60}'\))?|[\w$.]{1,80} is not (a function|a constructor|iterable|defined)|fetch failed)$/

/** What the driver below Prisma was told. */
function describeOrigin(error: Error): string {
  const { meta, cause } = error as { meta?: { driverAdapterError?: { cause?: unknown } }; cause?: unknown }
  const { originalCode } = (meta?.driverAdapterError?.cause ?? cause ?? {}) as { originalCode?: unknown }
  return typeof originalCode === 'string' && /^[0-9A-Z]{5}$/.test(originalCode) ? ` (SQLSTATE ${originalCode})` : ''
}

const PLACE = /^ +at .*?([\w.-]{1,80}\.[cm]?[jt]s:\d{1,6}):\d{1,6}\)?$/

/** The first file and line of the stack, which begins with the message. */
function describePlace({ stack = '', message }: Error): string {
  const from = stack.indexOf(message)
  const lines = from < 0 ? [] : stack.slice(from + message.length).split('\n')
  const place = lines.map((line) => PLACE.exec(line)?.[1]).find((found) => found !== undefined)
  return place === undefined ? '' : ` (${place})`
}

// Word by word, since a pattern over the whole text can take forever.
const SECRET = /@|_secret_|whsec_|[prs]k_(live|test)_/

function toSafeText(text: unknown): string {
  const words = String(text)
    .slice(0, 20 * MAX_LENGTH)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .split(' ')
  return words
    .filter((word) => word !== '')
    .map((word) => (SECRET.test(word) ? '[removed]' : word))
    .join(' ')
    .slice(0, MAX_LENGTH)
}
