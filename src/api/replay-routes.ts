import type { Context } from '../context.ts'
import { countEvents, countEventsOf } from '../events/count-events.ts'
import { findEvent } from '../events/find-event.ts'
import { findReplay } from '../events/find-replay.ts'
import { findDeadJobs, redriveDead } from '../events/redrive-dead.ts'
import { replayEvent } from '../events/replay-event.ts'
import { cancelReplay, startReplay } from '../events/start-replay.ts'
import { HttpError } from '../platform/errors.ts'
import { eventIdSchema, toEventFilter } from './event-schema.ts'
import { defineOperation, type Operation, type OperationInput, toAuditRequest } from './operation.ts'
import { presentCounts, presentReplay } from './present-replay.ts'
import {
  bulkReplaySchema,
  countsSchema,
  redriveSchema,
  replayIdSchema,
  replayRequestSchema,
  replaySchema,
  startedSchema,
} from './replay-schema.ts'

type Deps = Pick<Context, 'db' | 'queue' | 'clock' | 'logger'>

export function createReplayOperations(deps: Deps): Operation[] {
  return [replayOperation(deps), startOperation(deps), getOperation(deps), cancelOperation(deps), redriveOperation(deps)]
}

const started = { description: 'Queued', schema: startedSchema }
const counted = { description: 'What it would replay', schema: countsSchema }

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
      if (!event) throw new HttpError(404, 'event_not_found', 'No event has this id. Use the evt_… of the provider or our message_id.')
      const { replayId, jobId } = await replayEvent(deps, event.messageId, requestOf(deps, input))
      deps.logger.info('event.replayed', { message_id: event.messageId, replay_id: replayId, job_id: jobId, by: input.caller.name })
      return accepted(replayId, jobId)
    },
  )
}

function startOperation(deps: Deps): Operation {
  return defineOperation(
    {
      method: 'post',
      path: '/api/replays',
      id: 'startReplay',
      summary: 'Process every event again that a filter matches',
      description: 'The newest first; what arrives after the request is not part of it. A dry run counts only.',
      roles: ['operator'],
      body: bulkReplaySchema,
      answers: { 200: counted, 202: started },
    },
    async (input) => {
      const filter = toEventFilter(input.body.filter)
      if (input.body.dry_run) return { status: 200, body: presentCounts(await countEvents(deps.db, filter)) }
      const plan = { filter, ratePerSecond: input.body.rate_per_second, request: requestOf(deps, input) }
      const replayId = await startReplay(deps, plan)
      deps.logger.info('replay.started', { replay_id: replayId, by: input.caller.name })
      return accepted(replayId, replayId)
    },
  )
}

function getOperation({ db }: Deps): Operation {
  return defineOperation(
    {
      method: 'get',
      path: '/api/replays/{replay_id}',
      id: 'getReplay',
      summary: 'How far a replay has come',
      roles: ['viewer', 'operator'],
      params: replayIdSchema,
      answers: { 200: { description: 'The replay', schema: replaySchema } },
      problems: { 404: ['replay_not_found'] },
    },
    async ({ params }) => {
      const story = await findReplay(db, params.replay_id)
      if (!story) throw replayNotFound()
      return { status: 200, body: presentReplay(story) }
    },
  )
}

function cancelOperation(deps: Deps): Operation {
  return defineOperation(
    {
      method: 'post',
      path: '/api/replays/{replay_id}/cancel',
      id: 'cancelReplay',
      summary: 'Queue no more of a replay',
      description: 'What is queued already still runs.',
      roles: ['operator'],
      params: replayIdSchema,
      body: replayRequestSchema,
      answers: { 200: { description: 'The replay', schema: replaySchema } },
      problems: { 404: ['replay_not_found'], 409: ['replay_ended'] },
    },
    async (input) => {
      const { replay_id: replayId } = input.params
      if (!(await findReplay(deps.db, replayId))) throw replayNotFound()
      if (!(await cancelReplay(deps, replayId, requestOf(deps, input))))
        throw new HttpError(409, 'replay_ended', 'The replay has queued all of its events, or was canceled before.')
      const story = await findReplay(deps.db, replayId)
      if (!story) throw replayNotFound()
      return { status: 200, body: presentReplay(story) }
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

function accepted(replayId: string, jobId: string) {
  return { status: 202, body: { replay_id: replayId, job_id: jobId }, headers: { Location: `/api/jobs/${jobId}` } }
}

type Asked = Pick<OperationInput<never>, 'caller' | 'response'> & { body: { reason: string } }

function requestOf({ clock }: Pick<Deps, 'clock'>, input: Asked) {
  return { ...toAuditRequest(input, clock()), reason: input.body.reason }
}

function replayNotFound(): HttpError {
  return new HttpError(404, 'replay_not_found', 'No replay has this id.')
}
