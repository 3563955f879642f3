import { z } from 'zod'
import { auditFilterSchema, auditPositionSchema } from '../audit/audit-filter-schema.ts'
import { listAudit } from '../audit/audit-log.ts'
import type { Context } from '../context.ts'
import { decodeCursor, listSchema, timeSchema, toPage } from '../platform/paging.ts'
import { defineOperation, type Operation } from './operation.ts'

const auditEntrySchema = z
  .object({
    at: timeSchema,
    actor: z.string().meta({ description: 'The name of the token' }),
    action: z.string(),
    reason: z.string().nullable(),
    subject: z.record(z.string(), z.unknown()).meta({ description: 'The ids that it was about' }),
    correlation_id: z.string(),
  })
  .meta({ id: 'AuditEntry' })

export function createAuditOperations({ db }: Pick<Context, 'db'>): Operation[] {
  return [
    defineOperation(
      {
        method: 'get',
        path: '/api/audit',
        id: 'listAudit',
        summary: 'Who did what, when, why, to which ids; the newest first',
        roles: ['viewer', 'operator'],
        query: auditFilterSchema,
        answers: { 200: { description: 'A page of the audit', schema: listSchema(auditEntrySchema).meta({ id: 'AuditList' }) } },
      },
      async ({ query: { actor, action, limit, cursor } }) => {
        const [before] = decodeCursor(auditPositionSchema, cursor) ?? []
        const entries = await listAudit(db, { actor, action, limit: limit + 1, before: before === undefined ? undefined : BigInt(before) })
        return { status: 200, body: toPage(entries, limit, present, ({ id }) => [String(id)]) }
      },
    ),
  ]
}

type Row = Awaited<ReturnType<typeof listAudit>>[number]

function present({ at, actor, action, reason, subject, correlationId }: Row): z.infer<typeof auditEntrySchema> {
  return { at: at.toISOString(), actor, action, reason, subject: subject as Record<string, unknown>, correlation_id: correlationId }
}
