import { type RequestHandler, Router } from 'express'
import { readFilter } from '../events/event-filter.ts'
import { eventFilterSchema, eventPositionSchema, eventStatusSchema } from '../events/event-filter-schema.ts'
import { countBodies, findEventStory } from '../events/find-event.ts'
import { listEvents } from '../events/list-events.ts'
import { decodeCursor, toPage } from '../platform/paging.ts'
import { afterSchema, countNewer, NEWER_LIMIT } from './newer.ts'
import { type PageDeps, readQuery, toQuery } from './page.ts'
import { createPayloadPages, loadPayload } from './payload-pages.ts'
import { eventNotFound } from './problems.ts'
import { loadWholeStory, tellStory } from './story.ts'
import { nameReason, summarizeEvent } from './summarize-event.ts'
import { texts } from './texts.ts'

export function createEventPages(deps: PageDeps): Router {
  const router = Router()
  router.get('/console/events', listPage(deps))
  router.get('/console/events/newer', newerAnswer(deps))
  router.get('/console/events/:id', eventPage(deps))
  router.use(createPayloadPages(deps))
  return router
}

function listPage({ db, providers, render }: PageDeps): RequestHandler {
  return async (request, response) => {
    const { limit, cursor, ...filter } = readQuery(eventFilterSchema, request)
    const [before] = decodeCursor(eventPositionSchema, cursor) ?? []
    const rows = await listEvents(db, { filter: readFilter(filter), limit: limit + 1, before })
    const { data: events, next_cursor: next } = toPage(
      rows,
      limit,
      (event) => event,
      ({ messageId }) => [messageId],
    )
    const { status } = filter
    render(response, 'events', {
      title: (status && texts.events.titles[status]) ?? texts.events.title,
      lead: status && texts.events.lead[status],
      filter,
      isFiltered: Object.keys(filter).length > 0,
      statuses: eventStatusSchema.options,
      providers: [...providers.keys()],
      events,
      nameReason,
      query: toQuery(filter),
      older: next && toQuery({ ...filter, cursor: next }),
      newest: cursor && toQuery(filter),
      newer: cursor === undefined && `/console/events/newer${toQuery({ ...filter, after: events[0]?.messageId ?? '-' })}`,
    })
  }
}

/** How many events arrived since; message ids sort by the time of arrival. */
function newerAnswer({ db }: PageDeps): RequestHandler {
  return async (request, response) => {
    const { limit, cursor, after, ...filter } = readQuery(eventFilterSchema.extend({ after: afterSchema }), request)
    const rows = await listEvents(db, { filter: readFilter(filter), limit: NEWER_LIMIT + 1 })
    response.json(countNewer(rows, ({ messageId }) => messageId > after))
  }
}

function eventPage(deps: PageDeps): RequestHandler {
  return async (request, response) => {
    const found = await findEventStory(deps.db, String(request.params.id))
    if (!found) throw eventNotFound()
    const story = await loadWholeStory(deps, found)
    const { event } = story
    const isShown = request.query.payload === 'shown'
    deps.render(response, 'event', {
      ...story,
      title: event.type,
      summary: summarizeEvent(event),
      happenings: tellStory(story),
      isWaiting: event.status === 'received' || story.replays.some(({ status }) => status === 'queued'),
      bodies: await countBodies(deps.db, event.messageId),
      payload: isShown && (await loadPayload(deps, { event, caller: response.locals.caller, response })),
    })
  }
}
