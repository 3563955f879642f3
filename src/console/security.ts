import type { Request, RequestHandler } from 'express'
import helmet from 'helmet'
import { HttpError } from '../platform/errors.ts'
import { texts } from './texts.ts'

/** Only what lies here is loaded, no page of ours stands in another's frame, and no form goes elsewhere. */
export const securityHeaders: RequestHandler = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
  },
  frameguard: { action: 'deny' },
  referrerPolicy: { policy: 'same-origin' },
  // Whether all of a host is on TLS is for the proxy in front to say.
  strictTransportSecurity: false,
})

export const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store')
  next()
}

/**
 * A form of another site is refused by what the browser says of it, beside the cookie that such a form does not carry. Browsers send
 * Sec-Fetch-Site over TLS and to localhost, and Origin with every POST.
 */
export function refuseCrossSite(publicUrl: string | undefined): RequestHandler {
  const publicOrigin = publicUrl && new URL(publicUrl).origin
  return (request, _response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD' || isSameOrigin(request, publicOrigin)) return next()
    throw new HttpError(403, 'cross_site', texts.problems.crossSite)
  }
}

function isSameOrigin(request: Request, publicOrigin: string | undefined): boolean {
  const site = request.get('Sec-Fetch-Site')
  if (site !== undefined) return site === 'same-origin'
  const origin = request.get('Origin')
  return origin !== undefined && (origin === publicOrigin || origin === `${request.protocol}://${request.get('Host')}`)
}

export const requireSignedIn: RequestHandler = (request, response, next) => {
  const { caller } = request.session
  if (caller) {
    response.locals.caller = caller
    return next()
  }
  if (request.method !== 'GET') throw new HttpError(401, 'signed_out', texts.problems.signedOut)
  response.redirect(303, `/console/sign-in?to=${encodeURIComponent(request.originalUrl)}`)
}

export const requireOperator: RequestHandler = (_request, response, next) => {
  if (response.locals.caller.role === 'operator') return next()
  throw new HttpError(403, 'role_insufficient', texts.problems.viewer)
}
