import { Router } from 'express'
import { auditFilterSchema, auditPositionSchema } from '../audit/audit-filter-schema.ts'
import { listAudit } from '../audit/audit-log.ts'
import { decodeCursor, toPage } from '../platform/paging.ts'
import { type PageDeps, readQuery, toQuery } from './page.ts'
import { texts } from './texts.ts'

/** Who did what, when and why. */
export function createAuditPages({ db, render }: PageDeps): Router {
  const router = Router()
  router.get('/console/audit', async (request, response) => {
    const { limit, cursor, ...filter } = readQuery(auditFilterSchema, request)
    const [before] = decodeCursor(auditPositionSchema, cursor) ?? []
    const rows = await listAudit(db, { ...filter, limit: limit + 1, before: before === undefined ? undefined : BigInt(before) })
    const { data: entries, next_cursor: next } = toPage(
      rows,
      limit,
      (entry) => entry,
      ({ id }) => [String(id)],
    )
    render(response, 'audit', {
      title: texts.audit.title,
      filter,
      isFiltered: Object.keys(filter).length > 0,
      entries,
      older: next && toQuery({ ...filter, cursor: next }),
      newest: cursor && toQuery(filter),
    })
  })
  return router
}
