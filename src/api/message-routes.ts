import { z } from 'zod'
import { insertAudit } from '../audit/audit-log.ts'
import { toAuditRequest } from '../caller.ts'
import type { Context } from '../context.ts'
import { findMessage, listMessages } from '../outbox/list-messages.ts'
import { resendMessage } from '../outbox/resend-message.ts'
import { HttpError } from '../platform/errors.ts'
import { decodeCursor, toPage } from '../platform/paging.ts'
import { messageFilterSchema, messageIdSchema, messageListSchema, messageSchema, resendSchema } from './message-schema.ts'
import { defineOperation, type Operation } from './operation.ts'
import { presentMessage } from './present-message.ts'

type Deps = Pick<Context, 'config' | 'db' | 'clock' | 'logger'>

const positionSchema = z.tuple([z.uuid()])

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
      const [before] = decodeCursor(positionSchema, cursor) ?? []
      const messages = await listMessages(db, { filter: { orderId, status }, limit: limit + 1, before })
      return { status: 200, body: toPage(messages, limit, presentMessage, ({ message }) => [message.messageId]) }
    },
  )
}

function resendOperation({ config, db, clock, logger }: Deps): Operation {
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
      const { urls, giveUpMs } = config.orderWebhooks
      const now = clock()
      const expiresAt = new Date(now.getTime() + giveUpMs)
      const receivers = await db.transaction(async (tx) => {
        const revived = await resendMessage(tx, db.schema, { messageId, urls, now, expiresAt })
        const request = { ...toAuditRequest({ caller, response }, now), reason }
        if (revived > 0) await insertAudit(tx, db.schema, { ...request, action: 'message.resent', subject: { message_id: messageId } })
        return revived
      })
      const story = await findMessage(db, messageId)
      if (!story) throw new HttpError(404, 'message_not_found', 'No message has this id.')
      if (receivers === 0) throw new HttpError(409, 'message_not_dead', 'It is dead at no receiver that is configured.')
      logger.info('message.resent', {
        message_id: messageId,
        receivers,
        by: caller.name,
        correlation_id: response.locals.correlationId,
      })
      return { status: 202, body: presentMessage(story) }
    },
  )
}
