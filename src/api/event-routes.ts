import { z } from 'zod'
import { insertAudit } from '../audit/audit-log.ts'
import { toAuditRequest } from '../caller.ts'
import type { Context } from '../context.ts'
import { readFilter } from '../events/event-filter.ts'
import { eventFilterSchema, eventPositionSchema } from '../events/event-filter-schema.ts'
import { findBody, findEvent, findEventStory, orderIdsOf } from '../events/find-event.ts'
import { listEvents } from '../events/list-events.ts'
import { findMessagesOf } from '../outbox/list-messages.ts'
import { HttpError } from '../platform/errors.ts'
import { decodeCursor, toPage } from '../platform/paging.ts'
import { explainEvent } from '../providers/explain-event.ts'
import { eventIdSchema, eventListSchema, eventSchema } from './event-schema.ts'
import { defineOperation, type Operation } from './operation.ts'
import { presentEvent, presentEventSummary } from './present-event.ts'

type Deps = Pick<Context, 'db' | 'clock' | 'providers'>

export function createEventOperations(deps: Deps): Operation[] {
  return [listOperation(deps), getOperation(deps), payloadOperation(deps)]
}

function listOperation({ db }: Deps): Operation {
  return defineOperation(
    {
      method: 'get',
      path: '/api/events',
      id: 'listEvents',
      summary: 'Find events, the newest first',
      roles: ['viewer', 'operator'],
      query: eventFilterSchema,
      answers: { 200: { description: 'A page of events', schema: eventListSchema } },
    },
    async ({ query: { limit, cursor, ...written } }) => {
      const [before] = decodeCursor(eventPositionSchema, cursor) ?? []
      const events = await listEvents(db, { filter: readFilter(written), limit: limit + 1, before })
      return { status: 200, body: toPage(events, limit, presentEventSummary, ({ messageId }) => [messageId]) }
    },
  )
}

function getOperation(deps: Deps): Operation {
  return defineOperation(
    {
      method: 'get',
      path: '/api/events/{id}',
      id: 'getEvent',
      summary: "An event's whole story",
      roles: ['viewer', 'operator'],
      params: eventIdSchema,
      answers: { 200: { description: 'The event', schema: eventSchema } },
      problems: { 404: ['event_not_found'] },
    },
    async ({ params }) => {
      const story = await findEventStory(deps.db, params.id)
      if (!story) throw eventNotFound()
      const { messageId } = story.event
      const [facts, messages] = await Promise.all([explainEvent(deps, messageId), findMessagesOf(deps.db, messageId, orderIdsOf(story))])
      return { status: 200, body: presentEvent({ ...story, facts, messages }) }
    },
  )
}

function payloadOperation({ db, clock }: Deps): Operation {
  return defineOperation(
    {
      method: 'get',
      path: '/api/events/{id}/payload',
      id: 'getEventPayload',
      summary: 'The bytes of an event, exactly as received',
      roles: ['viewer', 'operator'],
      params: eventIdSchema,
      answers: { 200: { description: 'The body of its first delivery', schema: z.unknown() } },
      problems: { 404: ['event_not_found'] },
    },
    async ({ params, caller, response }) => {
      const event = await findEvent(db, params.id)
      const body = event && (await findBody(db, event.messageId))
      if (!event || !body) throw eventNotFound()
      const subject = { message_id: event.messageId }
      await insertAudit(db.pool, db.schema, { ...toAuditRequest({ caller, response }, clock()), action: 'payload.downloaded', subject })
      // A sender chose these bytes: they are a file to save, never a page of ours.
      response.set('Content-Disposition', `attachment; filename="${event.messageId}.json"`)
      response.set('Content-Type', 'application/json').send(Buffer.from(body))
    },
  )
}

export function eventNotFound(): HttpError {
  return new HttpError(404, 'event_not_found', 'No event has this id. Use the evt_… of the provider or our message_id.')
}
