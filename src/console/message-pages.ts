import { type RequestHandler, Router } from 'express'
import { validate as isUuid } from 'uuid'
import { toAuditRequest } from '../caller.ts'
import { findMessage, listMessages } from '../outbox/list-messages.ts'
import { messageFilterSchema, messagePositionSchema, messageStatusSchema } from '../outbox/message-filter-schema.ts'
import { resendAsked } from '../outbox/resend-message.ts'
import { HttpError } from '../platform/errors.ts'
import { decodeCursor, toPage } from '../platform/paging.ts'
import { reasonForm } from './forms.ts'
import { type PageDeps, readForm, readQuery, toQuery } from './page.ts'
import { messageNotFound } from './problems.ts'
import { requireOperator } from './security.ts'
import { texts } from './texts.ts'

/** What receivers were told, and telling them again. */
export function createMessagePages(deps: PageDeps): Router {
  const router = Router()
  router.get('/console/messages', listPage(deps))
  router.get('/console/messages/:message_id/resend', requireOperator, askForMessage(deps))
  router.post('/console/messages/:message_id/resend', requireOperator, resend(deps))
  return router
}

function listPage({ db, render }: PageDeps): RequestHandler {
  return async (request, response) => {
    const { limit, cursor, ...filter } = readQuery(messageFilterSchema, request)
    const [before] = decodeCursor(messagePositionSchema, cursor) ?? []
    const rows = await listMessages(db, { filter: { orderId: filter.order_id, status: filter.status }, limit: limit + 1, before })
    const { data: messages, next_cursor: next } = toPage(
      rows,
      limit,
      (story) => story,
      ({ message }) => [message.messageId],
    )
    render(response, 'messages', {
      title: texts.messages.title,
      filter,
      isFiltered: Object.keys(filter).length > 0,
      statuses: messageStatusSchema.options,
      messages,
      older: next && toQuery({ ...filter, cursor: next }),
      newest: cursor && toQuery(filter),
    })
  }
}

function askForMessage({ db, render }: PageDeps): RequestHandler {
  return async (request, response) => {
    const story = await findMessage(db, readMessageId(request.params.message_id))
    if (!story) throw messageNotFound()
    render(response, 'resend', { title: texts.messages.resendTitle, ...story })
  }
}

function resend(deps: PageDeps): RequestHandler {
  return async (request, response) => {
    const { reason } = readForm(reasonForm, request)
    const messageId = readMessageId(request.params.message_id)
    const story = await findMessage(deps.db, messageId)
    if (!story) throw messageNotFound()
    const asked = { ...toAuditRequest({ caller: response.locals.caller, response }, deps.clock()), reason }
    if ((await resendAsked(deps, messageId, asked)) === 0) throw new HttpError(409, 'message_not_dead', texts.problems.notDead)
    response.redirect(303, `/console/messages?order_id=${encodeURIComponent(story.message.orderId)}`)
  }
}

function readMessageId(text: unknown): string {
  const id = String(text)
  if (!isUuid(id)) throw messageNotFound()
  return id
}
