import type { Request } from 'express'
import type { z } from 'zod'
import type { Context } from '../context.ts'
import { validate } from '../platform/validate.ts'
import type { Render } from './render.ts'

export type PageDeps = Context & { render: Render }

/** The query of an address; an empty field of a form says nothing. */
export function readQuery<Schema extends z.ZodType>(schema: Schema, request: Request): z.infer<Schema> {
  return validate(schema, withoutEmpty(request.query))
}

export function readForm<Schema extends z.ZodType>(schema: Schema, request: Request): z.infer<Schema> {
  return validate(schema, withoutEmpty(request.body ?? {}))
}

function withoutEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}

type Field = string | number | boolean | undefined

/** `?status=dead&cursor=…` of what is set, or nothing. */
export function toQuery(fields: Record<string, Field>): string {
  const set = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) set.append(name, String(value))
  return set.size === 0 ? '' : `?${set}`
}
