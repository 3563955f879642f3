import type { Context } from '../context.ts'
import { findJob, type JobStory } from '../events/find-job.ts'
import { HttpError } from '../platform/errors.ts'
import { presentTime } from '../platform/paging.ts'
import { type JobAnswer, jobIdSchema, jobSchema } from './job-schema.ts'
import { defineOperation, type Operation } from './operation.ts'

export function createJobOperations(deps: Pick<Context, 'db' | 'queue'>): Operation[] {
  return [
    defineOperation(
      {
        method: 'get',
        path: '/api/jobs/{job_id}',
        id: 'getJob',
        summary: 'What became of a job',
        description: 'Keeps answering after the queue has deleted the job.',
        roles: ['viewer', 'operator'],
        params: jobIdSchema,
        answers: { 200: { description: 'The job', schema: jobSchema } },
        problems: { 404: ['job_not_found'] },
      },
      async ({ params }) => {
        const job = await findJob(deps, params.job_id)
        if (!job) throw new HttpError(404, 'job_not_found', 'No job has this id.')
        return { status: 200, body: presentJob(job) }
      },
    ),
  ]
}

function presentJob({ result, ...job }: JobStory): JobAnswer {
  return {
    job_id: job.jobId,
    status: job.status,
    kind: job.kind,
    created_at: job.createdAt.toISOString(),
    started_at: presentTime(job.startedAt),
    finished_at: presentTime(job.finishedAt),
    attempt: job.attempt,
    error: job.error,
    result: result && presentResult(result),
    correlation_id: job.correlationId,
  }
}

function presentResult({ messageId, status, reason, replayId }: NonNullable<JobStory['result']>) {
  return { message_id: messageId ?? null, event_status: status ?? null, reason: reason ?? null, replay_id: replayId ?? null }
}
