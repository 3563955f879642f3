import type { Context } from '../context.ts'
import { countEvents } from '../events/count-events.ts'
import { readFilter } from '../events/event-filter.ts'
import { findReplay } from '../events/find-replay.ts'
import { cancelReplay, startReplay } from '../events/start-replay.ts'
import { HttpError } from '../platform/errors.ts'
import { defineOperation, type Operation } from './operation.ts'
import { presentCounts, presentReplay } from './present-replay.ts'
import { accepted, counted, requestOf, started } from './replay-answers.ts'
import { bulkReplaySchema, replayIdSchema, replayRequestSchema, replaySchema } from './replay-schema.ts'

type Deps = Pick<Context, 'db' | 'queue' | 'clock' | 'logger'>

export function createReplayOperations(deps: Deps): Operation[] {
  return [startOperation(deps), getOperation(deps), cancelOperation(deps)]
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
      const filter = readFilter(input.body.filter)
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

function replayNotFound(): HttpError {
  return new HttpError(404, 'replay_not_found', 'No replay has this id.')
}
