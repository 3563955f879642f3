import type { Context } from '../context.ts'
import { countEventsOf } from '../events/count-events.ts'
import { findEvent } from '../events/find-event.ts'
import { findDeadJobs, redriveDead } from '../events/redrive-dead.ts'
import { replayEvent } from '../events/replay-event.ts'
import { eventNotFound } from './event-routes.ts'
import { eventIdSchema } from './event-schema.ts'
import { defineOperation, type Operation } from './operation.ts'
import { presentCounts } from './present-replay.ts'
import { accepted, counted, requestOf, started } from './replay-answers.ts'
import { redriveSchema, replayRequestSchema } from './replay-schema.ts'

type Deps = Pick<Context, 'db' | 'queue' | 'clock' | 'logger'>

/** Of one event, and of those that are dead. */
export function createEventReplayOperations(deps: Deps): Operation[] {
  return [replayOperation(deps), redriveOperation(deps)]
}

function replayOperation(deps: Deps): Operation {
  return defineOperation(
    {
      method: 'post',
      path: '/api/events/{id}/replay',
      id: 'replayEvent',
      summary: 'Process an event again',
      description: 'Whatever its status is; facts that were applied before change nothing and add no history.',
      roles: ['operator'],
      params: eventIdSchema,
      body: replayRequestSchema,
      answers: { 202: started },
      problems: { 404: ['event_not_found'] },
    },
    async (input) => {
      const event = await findEvent(deps.db, input.params.id)
      if (!event) throw eventNotFound()
      const { replayId, jobId } = await replayEvent(deps, event.messageId, requestOf(deps, input))
      deps.logger.info('event.replayed', { message_id: event.messageId, replay_id: replayId, job_id: jobId, by: input.caller.name })
      return accepted(replayId, jobId)
    },
  )
}

function redriveOperation(deps: Deps): Operation {
  return defineOperation(
    {
      method: 'post',
      path: '/api/dead/redrive',
      id: 'redriveDead',
      summary: 'Send dead events back to their queue',
      roles: ['operator'],
      body: redriveSchema,
      answers: { 200: counted, 202: started },
    },
    async (input) => {
      const dead = await findDeadJobs(deps.queue, input.body.ids)
      const messageIds = dead.map(({ messageId }) => messageId)
      if (input.body.dry_run) return { status: 200, body: presentCounts(await countEventsOf(deps.db, messageIds)) }
      const replayId = await redriveDead(deps, dead, requestOf(deps, input))
      deps.logger.info('dead.redriven', { replay_id: replayId, events: dead.length, by: input.caller.name })
      return accepted(replayId, replayId)
    },
  )
}
