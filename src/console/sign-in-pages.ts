import { type Request, type RequestHandler, type Response, Router } from 'express'
import { rateLimit } from 'express-rate-limit'
import { z } from 'zod'
import { insertAudit } from '../audit/audit-log.ts'
import { type Caller, findCaller, toAuditRequest } from '../caller.ts'
import type { PageDeps } from './page.ts'
import { beginSession, endSession } from './sessions.ts'
import { texts } from './texts.ts'

const FAILURES_PER_MINUTE = 10
const HOME = '/console/events'

const formSchema = z.object({ token: z.string().trim().max(1000).catch(''), to: z.string().max(2000).catch(HOME) })

/**
 * Signing in by a token of the configuration, or once by a link from the terminal. Another way, such as OpenID Connect, is another pair
 * of routes that ends in `enter`.
 */
export function createSignInPages(deps: PageDeps): Router {
  const router = Router()
  router.get('/console/sign-in', (request, response) => showForm(deps, response, { to: readTarget(request.query.to) }))
  router.post('/console/sign-in', limitFailures(deps), byToken(deps))
  router.get('/console/sign-in/:link', limitFailures(deps), byLink(deps))
  router.post('/console/sign-out', signOut(deps))
  return router
}

type Form = { to: string; error?: string; status?: number }

function showForm({ render }: PageDeps, response: Response, { to, error, status = 200 }: Form): void {
  render(response, 'sign-in', { title: texts.signIn.title, to, error }, status)
}

function byToken(deps: PageDeps): RequestHandler {
  return async (request, response) => {
    const { token, to } = formSchema.parse(request.body ?? {})
    const caller = findCaller(deps.config.tokens, token)
    const target = readTarget(to)
    if (!caller) return showForm(deps, response, { to: target, error: texts.signIn.wrong, status: 401 })
    if (caller.role === 'shop') return showForm(deps, response, { to: target, error: texts.signIn.shop, status: 403 })
    await enter(deps, { request, response, caller })
    response.redirect(303, target)
  }
}

function byLink(deps: PageDeps): RequestHandler {
  return async (request, response) => {
    const caller = deps.oneTimeLinks.redeem(String(request.params.link))
    if (!caller) return showForm(deps, response, { to: HOME, error: texts.signIn.used, status: 401 })
    await enter(deps, { request, response, caller })
    // A page that moves on by itself: where another program opened the link, a redirect would not carry a cookie of SameSite=Strict.
    deps.render(response, 'signed-in', { title: texts.signIn.done, to: HOME })
  }
}

type Entrance = { request: Request; response: Response; caller: Caller }

async function enter({ db, clock, logger }: PageDeps, { request, response, caller }: Entrance): Promise<void> {
  await beginSession(request, caller)
  const entry = toAuditRequest({ caller, response }, clock())
  await insertAudit(db.pool, db.schema, { ...entry, action: 'console.signed_in', subject: { role: caller.role } })
  logger.info('console.signed_in', { by: caller.name, correlation_id: response.locals.correlationId })
}

function signOut({ db, clock }: PageDeps): RequestHandler {
  return async (request, response) => {
    const { caller } = request.session
    if (caller) {
      const entry = toAuditRequest({ caller, response }, clock())
      await insertAudit(db.pool, db.schema, { ...entry, action: 'console.signed_out', subject: {} })
      await endSession(request)
    }
    response.clearCookie('sluice_console', { path: '/console' }).redirect(303, '/console/sign-in')
  }
}

function limitFailures(deps: PageDeps): RequestHandler {
  return rateLimit({
    windowMs: 60_000,
    limit: FAILURES_PER_MINUTE,
    standardHeaders: false,
    legacyHeaders: false,
    skipSuccessfulRequests: true,
    handler: (_request, response) => {
      response.set('Retry-After', '60')
      showForm(deps, response, { to: HOME, error: texts.signIn.tooMany, status: 429 })
    },
  })
}

/** Only to a page of the console, whatever the address says. */
function readTarget(to: unknown): string {
  const url = URL.parse(String(to), 'http://here')
  const isPage = url?.host === 'here' && /^\/console(?!\/sign-)(\/|$)/.test(url.pathname)
  return url && isPage ? `${url.pathname}${url.search}` : HOME
}
