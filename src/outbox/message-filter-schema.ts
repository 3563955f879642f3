import { z } from 'zod'
import { pageSchema } from '../platform/paging.ts'
import { searchTextSchema } from '../platform/text.ts'

export const messageStatusSchema = z.enum(['waiting', 'delivered', 'dead']).meta({ id: 'MessageStatus' })

/** As an address says it. */
export const messageFilterSchema = pageSchema.extend({
  order_id: searchTextSchema.optional(),
  status: messageStatusSchema.optional().meta({ description: 'At one of its receivers at least' }),
})

export const messagePositionSchema = z.tuple([z.uuid()])
