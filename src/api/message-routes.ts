import { toAuditRequest } from '../caller.ts'
import type { Context } from '../context.ts'
import { findMessage, listMessages } from '../outbox/list-messages.ts'
import { messageFilterSchema, messagePositionSchema } from '../outbox/message-filter-schema.ts'
import { resendAsked } from '../outbox/resend-message.ts'
import { HttpError } from '../platform/errors.ts'
import { decodeCursor, toPage } from '../platform/paging.ts'
import { messageIdSchema, messageListSchema, messageSchema, resendSchema } from './message-schema.ts'
import { defineOperation, type Operation } from './operation.ts'
import { presentMessage } from './present-message.ts'

type Deps = Pick<Context, 'config' | 'db' | 'clock' | 'logger'>

export function createMessageOperations(deps: Deps): Operation[] {
  return [listOperation(deps), resendOperation(deps)]
}

function listOperation({ db }: Deps): Operation {
  return defineOperation(
    {
      method: 'get',
      path: '/api/messages',
      id: 'listMessages',
      summary: 'What receivers were told of orders, the newest first',
      roles: ['viewer', 'operator'],
      query: messageFilterSchema,
      answers: { 200: { description: 'A page of messages', schema: messageListSchema } },
    },
    async ({ query: { order_id: orderId, status, limit, cursor } }) => {
      const [before] = decodeCursor(messagePositionSchema, cursor) ?? []
      const messages = await listMessages(db, { filter: { orderId, status }, limit: limit + 1, before })
      return { status: 200, body: toPage(messages, limit, presentMessage, ({ message }) => [message.messageId]) }
    },
  )
}

function resendOperation(deps: Deps): Operation {
  return defineOperation(
    {
      method: 'post',
      path: '/api/messages/{message_id}/resend',
      id: 'resendMessage',
      summary: 'Send a dead message again',
      description:
        'To the receivers at which it is dead, with the same id, signed anew. A receiver that has heard a later one of its order drops it by its sequence.',
      roles: ['operator'],
      params: messageIdSchema,
      body: resendSchema,
      answers: { 202: { description: 'It waits to be sent', schema: messageSchema } },
      problems: { 404: ['message_not_found'], 409: ['message_not_dead'] },
    },
    async ({ params: { message_id: messageId }, body: { reason }, caller, response }) => {
      const asked = { ...toAuditRequest({ caller, response }, deps.clock()), reason }
      const receivers = await resendAsked(deps, messageId, asked)
      const story = await findMessage(deps.db, messageId)
      if (!story) throw new HttpError(404, 'message_not_found', 'No message has this id.')
      if (receivers === 0) throw new HttpError(409, 'message_not_dead', 'It is dead at no receiver that is configured.')
      return { status: 202, body: presentMessage(story) }
    },
  )
}
