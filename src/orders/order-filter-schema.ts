import { z } from 'zod'
import { pageSchema, timeSchema } from '../platform/paging.ts'
import { searchTextSchema } from '../platform/text.ts'
import type { OrderFilter } from './list-orders.ts'

export const orderStatusSchema = z
  .enum([
    'pending',
    'processing',
    'authorized',
    'paid',
    'partially_paid',
    'partially_refunded',
    'refunded',
    'disputed',
    'charged_back',
    'failed',
    'canceled',
  ])
  .meta({ id: 'OrderStatus' })

export const orderFlagSchema = z
  .enum([
    'amount_mismatch',
    'overpaid',
    'unregistered',
    'claim_conflict',
    'account_mismatch',
    'mode_mismatch',
    'currency_mismatch',
    'out_of_band',
    'inquiry',
  ])
  .meta({ id: 'OrderFlag' })

/** As an address says it. */
export const orderFilterSchema = pageSchema.extend({
  status: orderStatusSchema.optional(),
  flag: orderFlagSchema.optional(),
  updated_from: timeSchema.optional().meta({ description: 'Inclusive' }),
  updated_to: timeSchema.optional().meta({ description: 'Exclusive' }),
})

export const orderPositionSchema = z.tuple([timeSchema, searchTextSchema])

type WrittenOrderFilter = Omit<z.infer<typeof orderFilterSchema>, 'limit' | 'cursor'>

export function readOrderFilter({ status, flag, updated_from: from, updated_to: to }: WrittenOrderFilter): OrderFilter {
  return {
    status,
    flag,
    updatedFrom: from === undefined ? undefined : new Date(from),
    updatedTo: to === undefined ? undefined : new Date(to),
  }
}
