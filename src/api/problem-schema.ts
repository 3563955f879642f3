import { z } from 'zod'

/** RFC 9457 problem details, as every error is answered. */
export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: 'What to do' }),
    code: z.string().meta({ description: 'Stable; what programs decide by' }),
    correlation_id: z.string(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem details' })
