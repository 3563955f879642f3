import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createConsole } from '../../src/console/create-console.ts'
import { callApi, type Json } from '../helpers/api.ts'
import { listOperations } from '../helpers/api-document.ts'
import { signIn } from '../helpers/console.ts'
import { listRoutes } from '../helpers/list-routes.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'

type Operation = { id: string; method: string; path: string; parameters: Json[]; fields: string[] }

let gateway: TestGateway
let operations: Operation[]
beforeAll(async () => {
  gateway = await startTestGateway({ role: 'api' })
  const document = await (await fetch(`${gateway.url}/openapi.json`)).json()
  operations = listOperations(document)
    .filter(({ path }) => path.startsWith('/api/'))
    .map(({ method, path, operation }) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      parameters: operation.parameters ?? [],
      fields: listFields(document, operation.requestBody?.content['application/json'].schema),
    }))
})
afterAll(() => gateway.stop())

/** The fields of a body, as paths: `filter.type`. */
function listFields(document: Json, schema: Json): string[] {
  const { properties = {} } = schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : (schema ?? {})
  return Object.entries(properties).flatMap(([name, field]) => [name, ...listFields(document, field).map((inner) => `${name}.${inner}`)])
}

const GOOD: Json = { order_id: 'ord_1', reason: 'a', dry_run: false, filter: {}, currency: 'EUR', expected_minor: 1 }

/** A body that is good but for the value that stands at `filter.type`, if it is not good there. */
function buildBody({ fields }: Operation, path = '', value = ''): string {
  const good = Object.fromEntries(Object.entries(GOOD).filter(([name]) => fields.includes(name)))
  const changed = path === '' ? {} : path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
  return JSON.stringify({ ...good, ...(changed as object) })
}

function toPath({ path }: Operation, name?: string, value = ''): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, parameter) => (parameter === name ? value : randomUUID()))
}

/** The calls that were answered as they should not be, or found something. */
async function findFailures(calls: { what: string; path: string; init: RequestInit }[]): Promise<object[]> {
  const failures: object[] = []
  for (const { what, path, init } of calls) {
    const { status, body } = await callApi(gateway.url, path, init)
    const found = status === 200 ? [body.data, body.orders, body.events].flat().filter(Boolean) : []
    if (![200, 201, 202, 400, 404].includes(status) || found.length > 0) failures.push({ what, status, found })
  }
  return failures
}

const IN_ADDRESS = ['%00', 'a%00b', '%ed%a0%80', '%ff', '%', "'%20or%201=1--", '%25', '%5C', '__proto__', '%F0%9F%A7%BE']
const IN_BODY = ['\0', 'a\0b', '\ud800', '\u202e', "' or 1=1--", '__proto__']

describe('text that no column can hold, or that means something elsewhere, is refused or finds nothing', () => {
  it.each(IN_ADDRESS)('in every filter of the API: %s', async (value) => {
    const calls = operations.flatMap((operation) =>
      operation.parameters
        .filter((parameter) => parameter.in === 'query')
        .map(({ name }) => ({ what: `${operation.id} ${name}`, path: `${toPath(operation)}?${name}=${value}`, init: {} })),
    )

    expect(calls.length).toBeGreaterThan(20)
    expect(await findFailures(calls)).toEqual([])
  })

  it.each(IN_ADDRESS)('in every path of the API: %s', async (value) => {
    const calls = operations.flatMap((operation) =>
      operation.parameters
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => ({
          what: `${operation.id} ${name}`,
          path: toPath(operation, name, value),
          init: operation.method === 'GET' ? {} : { method: operation.method, body: buildBody(operation) },
        })),
    )

    expect(calls.length).toBeGreaterThan(8)
    expect(await findFailures(calls)).toEqual([])
  })

  it.each(IN_BODY)('in every field of a body: %j', async (value) => {
    const calls = operations.flatMap((operation) =>
      operation.fields.map((field) => ({
        what: `${operation.id} ${field}`,
        path: toPath(operation),
        init: { method: operation.method, body: buildBody(operation, field, value) },
      })),
    )

    expect(calls.length).toBeGreaterThan(10)
    expect(await findFailures(calls)).toEqual([])
  })

  it('in a cursor, which is text that only we write', async () => {
    const positions = [['\0'], ['2026-01-01T00:00:00.000Z', '\0'], ['2026-01-01T00:00:00.000Z', '\0', '\0'], { a: '\0' }, '\0']
    const cursors = positions.map((position) => Buffer.from(JSON.stringify(position)).toString('base64url'))
    const lists = operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'))
    const calls = lists.flatMap((operation) =>
      cursors.map((cursor) => ({
        what: `${operation.id} ${cursor}`,
        path: `${toPath(operation)}?cursor=${cursor}${operation.id === 'listPayments' ? '&unmatched=true' : ''}`,
        init: {},
      })),
    )

    expect(calls.length).toBeGreaterThan(15)
    expect(await findFailures(calls)).toEqual([])
  })
})

describe('the console answers the same text with a page, never with our failure', () => {
  const NAMES = ['q', 'type', 'status', 'order_id', 'reference', 'provider', 'received_from', 'flag', 'updated_to', 'cursor', 'range', 'to']
  const FINE = [200, 303, 400, 401, 404, 409, 429]
  let paths: string[]
  let posts: string[]
  beforeAll(() => {
    const { router, stop } = createConsole(gateway.context)
    const routes = listRoutes(router, '/console').map((route) => route.split(' '))
    paths = routes.flatMap(([method, path = '']) => (method === 'get' ? [path] : []))
    // Who signs out sees no other page.
    posts = routes.flatMap(([method, path = '']) =>
      method === 'post' && !path.includes('/sign-') ? [path.replaceAll(/\{\w+\}/g, 'a')] : [],
    )
    stop()
  })

  it.each(IN_ADDRESS)('in every filter and path: %s', async (value) => {
    const operator = await signIn(gateway.url)
    const queries = paths.flatMap((path) => NAMES.map((name) => `${path.replaceAll(/\{\w+\}/g, 'a')}?${name}=${value}`))
    const inPaths = paths.filter((path) => path.includes('{')).map((path) => path.replaceAll(/\{\w+\}/g, value))

    expect(inPaths.length).toBeGreaterThan(6)
    for (const path of [...queries, ...inPaths]) {
      const { status } = await operator.get(path)
      expect({ path, status: FINE.includes(status) ? 'fine' : status }).toEqual({ path, status: 'fine' })
    }
  })

  it.each(IN_BODY)('in every form: %j', async (value) => {
    const operator = await signIn(gateway.url)
    const fields = ['reason', 'order_id', 'type', 'reference', 'rate_per_second', 'to']

    expect(posts.length).toBeGreaterThan(5)
    for (const path of posts) {
      for (const field of fields) {
        const { status } = await operator.post(path, { ...buildForm(path), [field]: value })
        expect({ path, field, status: FINE.includes(status) ? 'fine' : status }).toEqual({ path, field, status: 'fine' })
      }
    }
  })

  /** What a form has to say; it may say no more. */
  function buildForm(path: string): Record<string, string> {
    const more = path.endsWith('/link') ? { order_id: 'ord_1' } : path === '/console/replays' ? { rate_per_second: '1' } : {}
    return { reason: 'a', ...more }
  }
})
