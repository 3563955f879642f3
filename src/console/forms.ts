import { z } from 'zod'
import { reasonSchema } from '../platform/text.ts'

export const reasonForm = z.object({ reason: reasonSchema })
