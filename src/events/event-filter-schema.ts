import { z } from 'zod'
import { pageSchema, timeSchema } from '../platform/paging.ts'
import { searchTextSchema } from '../platform/text.ts'

export const eventStatusSchema = z.enum(['received', 'processed', 'ignored', 'parked', 'dead']).meta({ id: 'EventStatus' })

/** As an address says it. */
export const eventFilterShape = {
  provider: searchTextSchema.optional(),
  type: searchTextSchema.optional(),
  status: eventStatusSchema.optional(),
  order_id: searchTextSchema.optional(),
  reference: searchTextSchema.optional().meta({
    description:
      'Any id that stands in the event: payment intent, charge, session, invoice, subscription, refund, dispute, customer, e-mail',
  }),
  received_from: timeSchema.optional().meta({ description: 'Inclusive' }),
  received_to: timeSchema.optional().meta({ description: 'Exclusive' }),
  livemode: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional(),
}

export const eventFilterSchema = pageSchema.extend(eventFilterShape)

export const eventPositionSchema = z.tuple([z.uuid()])
