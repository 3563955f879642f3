import { type RequestHandler, Router } from 'express'
import { z } from 'zod'
import { toAuditRequest } from '../caller.ts'
import { countEvents, countEventsOf } from '../events/count-events.ts'
import { readFilter } from '../events/event-filter.ts'
import { eventFilterShape } from '../events/event-filter-schema.ts'
import { findDeadJobs, redriveDead } from '../events/redrive-dead.ts'
import { startReplay } from '../events/start-replay.ts'
import { reasonSchema } from '../platform/text.ts'
import { reasonForm } from './forms.ts'
import { type PageDeps, readForm, readQuery, toQuery } from './page.ts'
import { requireOperator } from './security.ts'
import { texts } from './texts.ts'

// A rate that leaves the worker room for what arrives meanwhile.
const DEFAULT_RATE = 50
const MAX_RATE = 1000

const filterSchema = z.strictObject(eventFilterShape)
const startSchema = z.strictObject({
  ...eventFilterShape,
  reason: reasonSchema,
  rate_per_second: z.coerce.number().int().min(1).max(MAX_RATE),
})

/** Of many events: first how many it would be, then the reason, then it begins. */
export function createBulkReplayPages(deps: PageDeps): Router {
  const router = Router()
  router.get('/console/replays/new', requireOperator, askForFilter(deps))
  router.post('/console/replays', requireOperator, startForFilter(deps))
  router.get('/console/dead/redrive', requireOperator, askForDead(deps))
  router.post('/console/dead/redrive', requireOperator, startForDead(deps))
  return router
}

function askForFilter({ db, render }: PageDeps): RequestHandler {
  return async (request, response) => {
    const filter = readQuery(filterSchema, request)
    const counts = await countEvents(db, readFilter(filter))
    render(response, 'replay-many', {
      title: texts.replay.many,
      action: '/console/replays',
      back: `/console/events${toQuery(filter)}`,
      filter,
      counts,
      rate: { value: DEFAULT_RATE, max: MAX_RATE },
    })
  }
}

function startForFilter(deps: PageDeps): RequestHandler {
  return async (request, response) => {
    const { reason, rate_per_second: ratePerSecond, ...filter } = readForm(startSchema, request)
    const { caller } = response.locals
    const asked = { ...toAuditRequest({ caller, response }, deps.clock()), reason }
    const replayId = await startReplay(deps, { filter: readFilter(filter), ratePerSecond, request: asked })
    deps.logger.info('replay.started', { replay_id: replayId, by: caller.name })
    response.redirect(303, `/console/replays/${replayId}`)
  }
}

function askForDead({ db, queue, render }: PageDeps): RequestHandler {
  return async (_request, response) => {
    const dead = await findDeadJobs(queue)
    const counts = await countEventsOf(
      db,
      dead.map(({ messageId }) => messageId),
    )
    render(response, 'replay-many', {
      title: texts.replay.dead,
      action: '/console/dead/redrive',
      back: '/console/events?status=dead',
      filter: {},
      counts,
    })
  }
}

function startForDead(deps: PageDeps): RequestHandler {
  return async (request, response) => {
    const { reason } = readForm(reasonForm, request)
    const { caller } = response.locals
    const dead = await findDeadJobs(deps.queue)
    const asked = { ...toAuditRequest({ caller, response }, deps.clock()), reason }
    const replayId = await redriveDead(deps, dead, asked)
    deps.logger.info('dead.redriven', { replay_id: replayId, events: dead.length, by: caller.name })
    response.redirect(303, `/console/replays/${replayId}`)
  }
}
