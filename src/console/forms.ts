import { z } from 'zod'

/** Every act of a person has a reason; it stands in the audit. */
export const reasonField = z.string('is required: why?').trim().min(1, 'is required: why?').max(1000)

export const reasonForm = z.object({ reason: reasonField })
