import type { z } from 'zod'
import { HttpError } from './errors.ts'

/** A bad request is answered with everything that is wrong with it, and with no value of it. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
  throw new HttpError(400, 'request_invalid', problems.join('; '))
}
