import { timingSafeEqual } from 'node:crypto'
import type { AuditRequest } from './audit/audit-log.ts'
import { type NamedToken, sha256, type TokenRole } from './config.ts'

/** Who asks: the name of their token and its role. */
export type Caller = { name: string; role: TokenRole }

declare global {
  namespace Express {
    interface Locals {
      caller: Caller
    }
  }
}

/** Whose token it is. Every token is compared, each in constant time. */
export function findCaller(tokens: NamedToken[], token: string): Caller | undefined {
  const digest = sha256(token)
  let caller: Caller | undefined
  for (const { sha256: known, name, role } of tokens) if (timingSafeEqual(known, digest)) caller ??= { name, role }
  return caller
}

type Asked = { caller: Caller; response: { locals: { correlationId: string } } }

/** Who asked, for the audit. */
export function toAuditRequest({ caller, response }: Asked, at: Date): AuditRequest {
  return { actor: caller.name, reason: null, correlationId: response.locals.correlationId, at }
}
