import type { AuditRequest } from '../audit/audit-log.ts'
import { toAuditRequest } from '../caller.ts'
import type { Context } from '../context.ts'
import type { OperationInput } from './operation.ts'
import { countsSchema, startedSchema } from './replay-schema.ts'

export const started = { description: 'Queued', schema: startedSchema }
export const counted = { description: 'What it would replay', schema: countsSchema }

export function accepted(replayId: string, jobId: string) {
  return { status: 202, body: { replay_id: replayId, job_id: jobId }, headers: { Location: `/api/jobs/${jobId}` } }
}

type Asked = Pick<OperationInput<never>, 'caller' | 'response'> & { body: { reason: string } }

export function requestOf({ clock }: Pick<Context, 'clock'>, input: Asked): AuditRequest & { reason: string } {
  return { ...toAuditRequest(input, clock()), reason: input.body.reason }
}
