import { type AuditEntry as AuditRow, Prisma } from '../generated/prisma/client.ts'
import type { Database, Queryable } from '../platform/database.ts'

type AuditAction =
  | 'event.replayed'
  | 'replay.started'
  | 'replay.canceled'
  | 'dead.redriven'
  | 'payment.linked'
  | 'order.replaced'
  | 'payload.downloaded'
  | 'payload.viewed'
  | 'message.resent'
  | 'console.signed_in'
  | 'console.signed_out'

/** Who asked for something, why, and in which request. */
export type AuditRequest = { actor: string; reason: string | null; correlationId: string; at: Date }
/** `subject` holds ids only: of what was done to, and of what was made for it. */
export type AuditEntry = AuditRequest & { action: AuditAction; subject: Record<string, string | number | string[] | object | null> }

/** Stands in the transaction of what it tells, so that neither is there without the other. */
export async function insertAudit(db: Queryable, schema: string, entry: AuditEntry): Promise<void> {
  await db.query(`insert into ${schema}.audit_log (at, actor, action, reason, subject, correlation_id) values ($1, $2, $3, $4, $5, $6)`, [
    entry.at,
    entry.actor,
    entry.action,
    entry.reason,
    JSON.stringify(entry.subject),
    entry.correlationId,
  ])
}

export type AuditPage = { actor?: string | undefined; action?: string | undefined; limit: number; before?: bigint | undefined }

/** The newest first. */
export async function listAudit({ prisma, schema }: Database, page: AuditPage): Promise<AuditRow[]> {
  const ids = await prisma.$queryRaw<{ id: bigint }[]>(selectAuditIds(schema, page))
  return prisma.auditEntry.findMany({ where: { id: { in: ids.map(({ id }) => id) } }, orderBy: { id: 'desc' } })
}

export function selectAuditIds(schema: string, { actor, action, limit, before }: AuditPage): Prisma.Sql {
  const conditions = [
    before !== undefined && Prisma.sql`id < ${before}`,
    actor !== undefined && Prisma.sql`actor = ${actor}`,
    action !== undefined && Prisma.sql`action = ${action}`,
  ].filter((condition) => condition instanceof Prisma.Sql)
  const where = conditions.length > 0 ? Prisma.sql`where ${Prisma.join(conditions, ' and ')}` : Prisma.empty
  return Prisma.sql`select id from ${Prisma.raw(`${schema}.audit_log`)} ${where} order by id desc limit ${limit}`
}
