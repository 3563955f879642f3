import { type RequestHandler, Router } from 'express'
import { validate as isUuid } from 'uuid'
import { toAuditRequest } from '../caller.ts'
import { findEvent } from '../events/find-event.ts'
import { findReplay } from '../events/find-replay.ts'
import { replayEvent } from '../events/replay-event.ts'
import { cancelReplay } from '../events/start-replay.ts'
import { HttpError } from '../platform/errors.ts'
import { reasonForm } from './forms.ts'
import { type PageDeps, readForm } from './page.ts'
import { eventNotFound, replayNotFound } from './problems.ts'
import { requireOperator } from './security.ts'
import { texts } from './texts.ts'

/** Of one event; and how far any replay has come. */
export function createReplayPages(deps: PageDeps): Router {
  const router = Router()
  router.get('/console/events/:id/replay', requireOperator, askForEvent(deps))
  router.post('/console/events/:id/replay', requireOperator, startForEvent(deps))
  router.get('/console/replays/:replay_id', progressPage(deps))
  router.post('/console/replays/:replay_id/cancel', requireOperator, cancel(deps))
  return router
}

function askForEvent({ db, render }: PageDeps): RequestHandler {
  return async (request, response) => {
    const event = await findEvent(db, String(request.params.id))
    if (!event) throw eventNotFound()
    render(response, 'replay-event', { title: texts.replay.one, event })
  }
}

function startForEvent(deps: PageDeps): RequestHandler {
  return async (request, response) => {
    const { reason } = readForm(reasonForm, request)
    const event = await findEvent(deps.db, String(request.params.id))
    if (!event) throw eventNotFound()
    const { caller } = response.locals
    const asked = { ...toAuditRequest({ caller, response }, deps.clock()), reason }
    const { replayId, jobId } = await replayEvent(deps, event.messageId, asked)
    deps.logger.info('event.replayed', { message_id: event.messageId, replay_id: replayId, job_id: jobId, by: caller.name })
    response.redirect(303, `/console/events/${event.messageId}`)
  }
}

function progressPage({ db, render }: PageDeps): RequestHandler {
  return async (request, response) => {
    const story = await findReplay(db, readReplayId(request.params.replay_id))
    if (!story) throw replayNotFound()
    render(response, 'replay', { title: texts.replay.title, ...story })
  }
}

function cancel(deps: PageDeps): RequestHandler {
  return async (request, response) => {
    const { reason } = readForm(reasonForm, request)
    const replayId = readReplayId(request.params.replay_id)
    if (!(await findReplay(deps.db, replayId))) throw replayNotFound()
    const asked = { ...toAuditRequest({ caller: response.locals.caller, response }, deps.clock()), reason }
    if (!(await cancelReplay(deps, replayId, asked))) throw new HttpError(409, 'replay_ended', texts.problems.replayEnded)
    response.redirect(303, `/console/replays/${replayId}`)
  }
}

function readReplayId(text: unknown): string {
  const id = String(text)
  if (!isUuid(id)) throw replayNotFound()
  return id
}
