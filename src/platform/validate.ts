import { z } from 'zod'
import { HttpError } from './errors.ts'

type Issue = z.core.$ZodIssue

/** A bad request is answered with everything that is wrong with it, and with nothing that stands in it. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `${pathOf(schema, issue) || 'body'}: ${messageOf(issue)}`)
  throw new HttpError(400, 'request_invalid', problems.join('; '))
}

/** As far as the names are ours: below, as in metadata, the caller chose them. */
function pathOf(schema: z.ZodType, { path }: Issue): string {
  const names: string[] = []
  let at: z.core.$ZodType | undefined = schema
  for (const segment of path) {
    at = fieldOf(at, segment)
    if (!at) break
    names.push(String(segment))
  }
  return names.join('.')
}

function fieldOf(schema: z.core.$ZodType, name: PropertyKey): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return fieldOf(schema.unwrap(), name)
  if (schema instanceof z.ZodArray) return schema.element
  return schema instanceof z.ZodObject ? schema.shape[name as string] : undefined
}

function messageOf(issue: Issue): string {
  return issue.code === 'unrecognized_keys' ? 'has a field that is not known' : issue.message
}
