import { randomBytes } from 'node:crypto'
import type { Caller } from '../caller.ts'
import { sha256 } from '../config.ts'

export type OneTimeLinks = {
  /** The path of a link that signs this caller in once. */
  create(caller: Caller): string
  /** Whom the link was made for; nothing when it was used, is too old, or was never made. */
  redeem(token: string): Caller | undefined
}

export const ONE_TIME_LINK_MINUTES = 15

/** Kept in memory: a link is for whoever sits at the terminal of this very process. */
export function createOneTimeLinks(clock: () => Date): OneTimeLinks {
  const links = new Map<string, { caller: Caller; expiresAt: number }>()
  const keyOf = (token: string) => sha256(token).toString('hex')
  return {
    create(caller) {
      const token = randomBytes(32).toString('base64url')
      links.set(keyOf(token), { caller, expiresAt: clock().getTime() + ONE_TIME_LINK_MINUTES * 60_000 })
      return `/console/sign-in/${token}`
    },
    redeem(token) {
      const link = links.get(keyOf(token))
      links.delete(keyOf(token))
      return link && link.expiresAt > clock().getTime() ? link.caller : undefined
    },
  }
}
