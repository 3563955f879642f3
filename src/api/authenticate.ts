import type { RequestHandler } from 'express'
import { rateLimit } from 'express-rate-limit'
import { findCaller } from '../caller.ts'
import type { NamedToken, TokenRole } from '../config.ts'
import { HttpError } from '../platform/errors.ts'

const FAILURES_PER_MINUTE = 30

/** `Authorization: Bearer <token>`. Wrong tokens are limited for each address; who has a right one is never held up. */
export function authenticate(tokens: NamedToken[]): RequestHandler[] {
  const identify: RequestHandler = (request, response, next) => {
    const token = /^Bearer +(\S+)$/i.exec(request.get('Authorization') ?? '')?.[1]
    const caller = token === undefined ? undefined : findCaller(tokens, token)
    if (caller) response.locals.caller = caller
    next()
  }
  const limitFailures = rateLimit({
    windowMs: 60_000,
    limit: FAILURES_PER_MINUTE,
    standardHeaders: false,
    legacyHeaders: false,
    skip: (_request, response) => response.locals.caller !== undefined,
    handler: () => {
      throw new HttpError(429, 'too_many_failures', 'Too many wrong tokens from this address. Wait a minute.', {
        headers: { 'Retry-After': '60' },
      })
    },
  })
  const requireCaller: RequestHandler = (_request, response, next) => {
    if (response.locals.caller) return next()
    throw new HttpError(401, 'token_invalid', 'Send a valid token: Authorization: Bearer <token>.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    })
  }
  return [identify, limitFailures, requireCaller]
}

export function requireRole(...roles: TokenRole[]): RequestHandler {
  return (_request, response, next) => {
    if (roles.includes(response.locals.caller.role)) return next()
    throw new HttpError(403, 'role_insufficient', `This needs a token of the role ${roles.join(' or ')}.`)
  }
}
