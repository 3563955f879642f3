import { z } from 'zod'

/** More than this are told as "50+". */
export const NEWER_LIMIT = 50

/** Where the page that somebody reads begins. */
export const afterSchema = z.string().max(500)

export type Newer = { count: number; isMore: boolean }

/** Of the newest rows, how many came after the one at which the page begins. */
export function countNewer<Row>(rows: Row[], isNewer: (row: Row) => boolean): Newer {
  const count = rows.filter(isNewer).length
  return { count: Math.min(count, NEWER_LIMIT), isMore: count > NEWER_LIMIT }
}
