import { type ErrorRequestHandler, type RequestHandler, Router, urlencoded } from 'express'
import type { Context } from '../context.ts'
import { HttpError } from '../platform/errors.ts'
import { tellError } from '../platform/http.ts'
import { createAssets } from './assets.ts'
import { createAuditPages } from './audit-pages.ts'
import { createBulkReplayPages } from './bulk-replay-pages.ts'
import { createEventPages } from './event-pages.ts'
import { createHealthPages } from './health-pages.ts'
import { createMessagePages } from './message-pages.ts'
import { createOrderPages } from './order-pages.ts'
import type { PageDeps } from './page.ts'
import { createPaymentPages } from './payment-pages.ts'
import { createRender, type Render } from './render.ts'
import { createReplayPages } from './replay-pages.ts'
import { createSearchPage } from './search-page.ts'
import { noStore, refuseCrossSite, requireSignedIn, securityHeaders } from './security.ts'
import { createSessions } from './sessions.ts'
import { createSignInPages } from './sign-in-pages.ts'
import { texts } from './texts.ts'

export type Console = { router: Router; stop(): void }

/** The pages of support staff; whatever they show, the API answers as well. */
export function createConsole(context: Context): Console {
  const { config, logger } = context
  const deps: PageDeps = { ...context, render: createRender() }
  const sessions = createSessions(context)
  const router = Router()
  router.get('/', (_request, response) => response.redirect(303, '/console'))
  router.use('/console', securityHeaders)
  router.use(createAssets())
  router.use('/console', noStore, refuseCrossSite(config.http.publicUrl), sessions.handler, urlencoded({ extended: false, limit: '16kb' }))
  router.use(createSignInPages(deps))
  router.use('/console', requireSignedIn)
  router.get('/console', (_request, response) => response.redirect(303, '/console/events'))
  router.use(createSearchPage(deps))
  router.use(createEventPages(deps))
  router.use(createOrderPages(deps))
  router.use(createPaymentPages(deps))
  router.use(createBulkReplayPages(deps))
  router.use(createReplayPages(deps))
  router.use(createMessagePages(deps))
  router.use(createHealthPages(deps))
  router.use(createAuditPages(deps))
  router.use('/console', answerNoPage)
  router.use('/console', showProblem(deps.render, logger))
  return { router, stop: sessions.stop }
}

const answerNoPage: RequestHandler = () => {
  throw new HttpError(404, 'not_found', texts.problems.noPage)
}

function showProblem(render: Render, logger: Context['logger']): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const { status, message, code, headers } = tellError(logger, error, request, response)
    if (response.headersSent) return next(error)
    response.set(headers)
    render(response, 'problem', { title: texts.problems.title(status), message, code, status }, status)
  }
}
