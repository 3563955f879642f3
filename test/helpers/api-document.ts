import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect } from '@jest/globals'
import { type Document, OpenAPIBackend, type SetMatchType } from 'openapi-backend'
import type { ApiAnswer, Json } from './api.ts'

export type ApiDocument = {
  document: Json
  /** Each operation with each status that it is said to answer: `getEvent 404`. */
  answers: string[]
  /** Why the body is not what the document says of this answer. */
  findErrors(operationId: string, status: number, body: unknown): unknown[]
  /** Why the document does not allow the request. */
  findRequestErrors(operationId: string, request: DocumentedRequest): unknown[]
  expectDocumented(operationId: string, answer: ApiAnswer): void
}

type DocumentedRequest = { method: string; path: string; headers: Record<string, string>; body?: Json }

/** What a running gateway says of itself, to be held against what it does. */
export async function loadApiDocument(url: string): Promise<ApiDocument> {
  const document: Json = await (await fetch(`${url}/openapi.json`)).json()
  const api = new OpenAPIBackend({
    definition: withOneMediaType(document),
    quick: true,
    ajvOpts: { strict: false, logger: false, allErrors: true },
  })
  await api.init()
  const operations = new Map<string, Json>(listOperations(document).map(({ operation }) => [operation.operationId, operation]))

  const findErrors: ApiDocument['findErrors'] = (id, status, body) => api.validateResponse(body, id, status).errors ?? []

  return {
    document,
    answers: [...operations].flatMap(([id, operation]) => Object.keys(operation.responses).map((status) => `${id} ${status}`)),
    findErrors,
    findRequestErrors: (id, request) => api.validateRequest(request, id).errors ?? [],
    expectDocumented(id, { status, headers, body }) {
      const documented = operations.get(id)?.responses[status]
      if (!documented) throw new Error(`${id} is not said to answer ${status}: ${JSON.stringify(body)}`)
      expect([headers.get('content-type')?.split(';')[0]]).toEqual(Object.keys(documented.content))
      expect(findErrors(id, status, body)).toEqual([])
      const setMatchType = 'superset' as SetMatchType
      expect(api.validateResponseHeaders(Object.fromEntries(headers), id, { statusCode: status, setMatchType }).errors).toBeNull()
      if (status >= 400) expect(documented.description.split(', ')).toContain(body.code)
    },
  }
}

/** The validator reads only what is under `application/json`; the media types are compared without it. */
function withOneMediaType(document: Json): Document {
  const copy = structuredClone(document)
  for (const { operation } of listOperations(copy)) {
    for (const response of Object.values<Json>(operation.responses))
      response.content = { 'application/json': Object.values(response.content)[0] }
  }
  return copy
}

export function listOperations(document: Json): { method: string; path: string; operation: Json }[] {
  return Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
}

/** Why this is not an OpenAPI 3.1 document, by the schema that the OpenAPI Initiative publishes; that of JSON Schema judges its schemas. */
export function findDocumentErrors(document: Json): unknown[] {
  // The validator of openapi-backend knows OpenAPI 3.0 only, but its ajv knows the dialect of the schema for 3.1.
  const { Ajv2020 } = createRequire(createRequire(import.meta.url).resolve('openapi-backend'))('ajv/dist/2020')
  const schema = JSON.parse(readFileSync(new URL('./openapi-3.1.schema.json', import.meta.url), 'utf8'))
  const ajv = new Ajv2020({ strict: false, logger: false, allErrors: true, validateFormats: false })
  const validate = ajv.compile(schema)
  validate(document)
  const unsound = Object.entries<Json>(document.components.schemas).filter(([, part]) => !ajv.validateSchema(part))
  return [...(validate.errors ?? []), ...unsound]
}

/** Every answer that is this one but for a field too many, too few or under another name, however deep. */
export function doctor(body: Json, freeFields: string[]): { what: string; body: Json }[] {
  const doctored: { what: string; body: Json }[] = []
  const change = (path: string[], what: string, act: (object: Json) => void) => {
    const copy = structuredClone(body)
    act(path.reduce((value, key) => value[key], copy))
    doctored.push({ what: `${[...path, what].join('.')}`, body: copy })
  }
  for (const { path, object } of listObjects(body, freeFields)) {
    change(path, '+extra', (target) => Object.assign(target, { extra: 1 }))
    for (const key of Object.keys(object)) {
      change(path, `-${key}`, (target) => delete target[key])
      change(path, `${key}→${key}s`, (target) => {
        target[`${key}s`] = target[key]
        delete target[key]
      })
    }
  }
  return doctored
}

function listObjects(value: Json, freeFields: string[], path: string[] = []): { path: string[]; object: Json }[] {
  if (typeof value !== 'object' || value === null) return []
  const below = Object.entries(value)
    .filter(([key]) => !freeFields.includes(key))
    .flatMap(([key, child]) => listObjects(child, freeFields, [...path, key]))
  return Array.isArray(value) ? below : [{ path, object: value }, ...below]
}
