import { isDatabaseError } from '../platform/describe-error.ts'
import { sqlState } from '../platform/errors.ts'

// A value that PostgreSQL cannot take (22), a NULL where none may be, a row that breaks a check. Not a missing or a second row (23503,
// 23505): another transaction can still add the one or take the other away.
const PERMANENT_STATES = /^(22|23502|23514)/

/**
 * Whether no later attempt at this one event can do better: its handler says so, or the database refuses a value. Everything else
 * may pass, and is tried again; a fault of the program too, since the next release can mend it without anybody sending events back.
 */
export function isPermanent(error: unknown): boolean {
  // By its name: a handler's module can have a class of its own.
  if (error instanceof Error && error.name === 'PermanentError') return true
  return isDatabaseError(error) && PERMANENT_STATES.test(sqlState(error) ?? '')
}
