import { describe, expect, it } from '@jest/globals'
import { z } from 'zod'
import { HttpError } from '../../src/platform/errors.ts'
import { validate } from '../../src/platform/validate.ts'

const schema = z.strictObject({
  filter: z.strictObject({ type: z.string().max(3).optional() }).optional(),
  ids: z.array(z.uuid()).optional(),
  metadata: z.record(z.string().max(3), z.number()).optional(),
  status: z.enum(['a', 'b']).optional(),
})

describe('a request that is not valid', () => {
  it.each<[string, unknown, string]>([
    ['a value', { status: 'canary' }, 'status: '],
    ['a value inside', { filter: { type: 'canary' } }, 'filter.type: '],
    ['a value in a list', { ids: ['canary'] }, 'ids.0: '],
    ['an unknown field', { canary: 1 }, 'body: has a field that is not known'],
    ['an unknown field inside', { filter: { canary: 1 } }, 'filter: has a field that is not known'],
    ['a name that its sender chose', { metadata: { canary: 1 } }, 'metadata: '],
    ['what stands under such a name', { metadata: { can: 'canary' } }, 'metadata: '],
    ['all of it', 'canary', 'body: '],
  ])('is refused with where it is wrong, without what stands there: %s', (_what, value, place) => {
    const act = () => validate(schema, value)

    expect(act).toThrow(HttpError)
    expect(act).toThrow(new RegExp(`^${place}((?!can).)*$`))
  })
})
