import { z } from 'zod'

/** PostgreSQL's text has no NUL, and a lone surrogate has no UTF-8. */
const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0')
const NOT_STORABLE = 'must be text without NUL and lone surrogates'

/** Text that a column can hold. */
export const storableSchema = z.string().refine(isStorable, NOT_STORABLE)

/** What a filter can look for; counted in characters, as people do. */
export const searchTextSchema = storableSchema.min(1).refine((text) => [...text].length <= 255, 'must be at most 255 characters')

/** Every act of a person has a reason; it stands in the audit. */
export const reasonSchema = z.string('is required: why?').trim().min(1, 'is required: why?').max(1000).refine(isStorable, NOT_STORABLE)
