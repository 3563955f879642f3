import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { describeError } from './describe-error.ts'
import { HttpError } from './errors.ts'
import type { Logger } from './logger.ts'

declare global {
  namespace Express {
    interface Locals {
      correlationId: string
    }
  }
}

const CORRELATION_ID = /^[A-Za-z0-9._-]{1,128}$/

/** Names the story that a request begins. Only callers that we know may bring a name of their own. */
export function correlate({ accept }: { accept: boolean }): RequestHandler {
  return (request, response, next) => {
    if (response.locals.correlationId !== undefined) return next()
    const given = accept ? request.get('X-Correlation-Id') : undefined
    response.locals.correlationId = given !== undefined && CORRELATION_ID.test(given) ? given : randomUUID()
    response.set('X-Correlation-Id', response.locals.correlationId)
    next()
  }
}

// Refusing is what they are for; the beginning and the end are logged, and each refusal is counted.
const SHEDDING = new Set(['queue_full', 'overloaded'])

export const answerNotFound: RequestHandler = () => {
  throw new HttpError(404, 'not_found', 'There is nothing at this address.')
}

/** The one place that answers errors of programs, as RFC 9457 problem details. */
export function answerErrors(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const known = tellError(logger, error, request, response)
    if (response.headersSent) return next(error)
    response.status(known.status).set(known.headers).type('application/problem+json')
    response.send(JSON.stringify(toProblem(known, response.locals.correlationId)))
  }
}

/** What to answer. What we did not expect is logged, and its answer says nothing of it. */
export function tellError(logger: Logger, error: unknown, request: Request, response: Response): HttpError {
  const known = toHttpError(error)
  if (known.status < 500 || SHEDDING.has(known.code)) return known
  const cause = error instanceof Error ? error.cause : undefined
  logger.error('request.failed', {
    method: request.method,
    code: known.code,
    error: describeError(error),
    cause: cause && describeError(cause),
    correlation_id: response.locals.correlationId,
  })
  return known
}

type Problem = { type: string; title: string; status: number; detail: string; code: string; correlation_id: string }

function toProblem({ status, code, message }: HttpError, correlationId: string): Problem {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail: message, code, correlation_id: correlationId }
}

/** Express and its parsers report what a client did wrong as errors with a 4xx status; anything else is our fault. */
function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error
  const status = (error as { status?: unknown } | null)?.status
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new HttpError(status, 'request_invalid', 'The request cannot be read.', { cause: error })
  return new HttpError(500, 'internal_error', 'Something went wrong here. It was logged under the correlation id.', { cause: error })
}
