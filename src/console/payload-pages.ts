import { type RequestHandler, type Response, Router } from 'express'
import { insertAudit } from '../audit/audit-log.ts'
import { type Caller, toAuditRequest } from '../caller.ts'
import { findBody, findEvent } from '../events/find-event.ts'
import type { WebhookEvent } from '../generated/prisma/client.ts'
import { toTree } from './json-tree.ts'
import type { PageDeps } from './page.ts'
import { eventNotFound } from './problems.ts'

// A page of more would be slow to open; the rest is in the file.
const MAX_NODES = 5000

/** The bytes of an event for people: to look at and to save; both stand in the audit. */
export function createPayloadPages(deps: PageDeps): Router {
  const router = Router()
  router.get('/console/events/:id/payload.json', downloadPage(deps))
  return router
}

type Wanted = { event: WebhookEvent; caller: Caller; response: Response; action?: 'payload.viewed' | 'payload.downloaded' }

async function takePayload({ db, clock }: PageDeps, { event, caller, response, action = 'payload.viewed' }: Wanted): Promise<Uint8Array> {
  const body = await findBody(db, event.messageId)
  if (!body) throw eventNotFound()
  const entry = toAuditRequest({ caller, response }, clock())
  await insertAudit(db.pool, db.schema, { ...entry, action, subject: { message_id: event.messageId } })
  return body
}

/** As a tree, and as the sender wrote it. */
export async function loadPayload(deps: PageDeps, wanted: Wanted) {
  const body = await takePayload(deps, wanted)
  return { ...toTree(body, MAX_NODES), raw: Buffer.from(body).toString('utf8') }
}

function downloadPage(deps: PageDeps): RequestHandler {
  return async (request, response) => {
    const event = await findEvent(deps.db, String(request.params.id))
    if (!event) throw eventNotFound()
    const body = await takePayload(deps, { event, caller: response.locals.caller, response, action: 'payload.downloaded' })
    // A sender chose these bytes: they are a file to save, never a page of ours.
    response.set({ 'Content-Disposition': `attachment; filename="${event.messageId}.json"`, 'Content-Type': 'application/json' })
    response.send(Buffer.from(body))
  }
}
