import { Router } from 'express'
import type { Context } from '../context.ts'
import { findJob, type JobStory } from '../events/find-job.ts'
import { HttpError } from '../platform/errors.ts'
import { requireRole } from './authenticate.ts'

export function createJobRoutes(deps: Pick<Context, 'db' | 'queue'>): Router {
  const router = Router()
  router.get('/jobs/:id', requireRole('viewer', 'operator'), async (request, response) => {
    const job = await findJob(deps, request.params.id as string)
    if (!job) throw new HttpError(404, 'job_not_found', 'No job has this id.')
    response.json(presentJob(job))
  })
  return router
}

function presentJob(job: JobStory) {
  return {
    job_id: job.jobId,
    status: job.status,
    kind: 'process_event',
    created_at: job.createdAt,
    started_at: job.startedAt,
    finished_at: job.finishedAt,
    attempt: job.attempt,
    error: job.error,
    result:
      job.status === 'pending' || job.status === 'running'
        ? null
        : { message_id: job.result.messageId, event_status: job.result.status, reason: job.result.reason },
    correlation_id: job.correlationId,
  }
}
