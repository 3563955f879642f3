import { z } from 'zod'
import { pageSchema } from '../platform/paging.ts'
import { searchTextSchema } from '../platform/text.ts'

/** As an address says it. */
export const auditFilterSchema = pageSchema.extend({ actor: searchTextSchema.optional(), action: searchTextSchema.optional() })

export const auditPositionSchema = z.tuple([z.string().regex(/^\d{1,18}$/)])
