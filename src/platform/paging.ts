import { z } from 'zod'
import { HttpError } from './errors.ts'

export const timeSchema = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds', example: '2026-11-30T20:15:00.000Z' })

export const pageSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50).meta({ description: 'How many to answer' }),
  cursor: z.string().max(4000).optional().meta({ description: '`next_cursor` of the page before' }),
})

export function listSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), next_cursor: z.string().nullable().meta({ description: 'null on the last page' }) })
}

/** Where a page ends, as text that only we read. */
function encodeCursor(position: string[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

export function decodeCursor<Position extends z.ZodType>(schema: Position, cursor: string | undefined): z.infer<Position> | undefined {
  if (cursor === undefined) return undefined
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')))
  } catch (cause) {
    throw new HttpError(400, 'request_invalid', 'cursor: is not one that a list of this kind answered', { cause })
  }
}

/** One row more than asked for tells whether there is a next page. */
export function toPage<Row, Item>(rows: Row[], limit: number, toItem: (row: Row) => Item, positionOf: (row: Row) => string[]) {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { data: shown.map(toItem), next_cursor: rows.length > limit && last ? encodeCursor(positionOf(last)) : null }
}

export function presentTime(time: Date | null): string | null {
  return time === null ? null : time.toISOString()
}
