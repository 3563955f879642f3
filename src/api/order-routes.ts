import { json, Router } from 'express'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { findOrder } from '../orders/find-order.ts'
import { registerOrder } from '../orders/register-order.ts'
import { HttpError } from '../platform/errors.ts'
import { requireRole } from './authenticate.ts'
import { presentOrder } from './present-order.ts'

const orderIdSchema = z.string().regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u, 'must be 1–255 printable characters')

// PostgreSQL's text has no NUL, and a lone surrogate has no UTF-8.
const storable = z.string().refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be text without NUL and lone surrogates')

const registrationSchema = z
  .strictObject({
    currency: z.string().regex(/^[A-Z]{3}$/, 'must be an upper-case ISO 4217 code'),
    expected_minor: z.int().nonnegative(),
    account: storable.min(1).max(255).nullish(),
    metadata: z.record(storable.max(255), z.union([storable, z.number(), z.boolean(), z.null()])).nullish(),
    replace: z.boolean().optional(),
    reason: z.string().trim().min(1).max(1000).optional(),
  })
  .refine(({ replace, reason }) => !replace || reason !== undefined, { path: ['reason'], message: 'is required with replace' })

export function createOrderRoutes({ db, clock }: Pick<Context, 'db' | 'clock'>): Router {
  const router = Router()

  router.get('/orders/:id', requireRole('viewer', 'operator', 'shop'), async (request, response) => {
    const story = await findOrder(db, request.params.id as string)
    if (!story) throw new HttpError(404, 'order_not_found', 'No order has this id: no event has named it, and nobody has registered it.')
    response.json(presentOrder(story))
  })

  router.put('/orders/:id', requireRole('operator', 'shop'), json({ limit: '64kb' }), async (request, response) => {
    const orderId = parse(orderIdSchema, request.params.id)
    const body = parse(registrationSchema, request.body)
    const { caller } = response.locals
    if (body.replace && caller.role !== 'operator')
      throw new HttpError(403, 'role_insufficient', 'Only an operator can replace a registration.')

    const outcome = await registerOrder(db, {
      registration: {
        orderId,
        currency: body.currency,
        expectedMinor: BigInt(body.expected_minor),
        account: body.account ?? null,
        metadata: body.metadata ?? null,
      },
      replace: body.replace === true,
      note: body.replace ? `replaced by ${caller.name}: ${body.reason}` : `registered by ${caller.name}`,
      now: clock(),
    })
    if (outcome === 'conflict')
      throw new HttpError(
        409,
        'order_conflict',
        'The order is registered with another currency, amount or account. An operator can add "replace": true and a "reason".',
      )
    const story = await findOrder(db, orderId)
    if (!story) throw new Error('A registered order was not found')
    response.status(outcome === 'registered' ? 201 : 200).json(presentOrder(story))
  })
  return router
}

/** A bad body is answered with every field that is wrong, and with no value of it. */
function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'value'}: ${message}`)
  throw new HttpError(400, 'request_invalid', problems.join('; '))
}
