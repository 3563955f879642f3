import { Router } from 'express'
import type { Context } from '../context.ts'
import { findBody, findEvent, findEventStory } from '../events/find-event.ts'
import { HttpError } from '../platform/errors.ts'
import { requireRole } from './authenticate.ts'
import { presentEvent } from './present-event.ts'

export function createEventRoutes({ db }: Pick<Context, 'db'>): Router {
  const router = Router()
  router.use('/events', requireRole('viewer', 'operator'))

  router.get('/events/:id', async (request, response) => {
    const story = await findEventStory(db, request.params.id)
    if (!story) throw eventNotFound()
    response.json(presentEvent(story))
  })

  router.get('/events/:id/payload', async (request, response) => {
    const event = await findEvent(db, request.params.id)
    const body = event && (await findBody(db, event.messageId))
    if (!event || !body) throw eventNotFound()
    // A sender chose these bytes: they are a file to save, never a page of ours.
    response.set({ 'Content-Disposition': `attachment; filename="${event.messageId}.json"`, 'X-Content-Type-Options': 'nosniff' })
    response.set('Content-Type', 'application/json').send(Buffer.from(body))
  })
  return router
}

function eventNotFound(): HttpError {
  return new HttpError(404, 'event_not_found', 'No event has this id. Use the evt_… of the provider or our message_id.')
}
