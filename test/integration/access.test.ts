import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callApi } from '../helpers/api.ts'
import { listOperations } from '../helpers/api-document.ts'
import { OPERATOR_TOKEN, SHOP_TOKEN, startTestGateway, type TestGateway, VIEWER_TOKEN } from '../helpers/start-test-gateway.ts'

const TOKENS = { operator: OPERATOR_TOKEN, viewer: VIEWER_TOKEN, shop: SHOP_TOKEN }
type Role = keyof typeof TOKENS

const READ: Role[] = ['operator', 'viewer']
const ALLOWED: Record<string, Role[]> = {
  listEvents: READ,
  getEvent: READ,
  getEventPayload: READ,
  replayEvent: ['operator'],
  startReplay: ['operator'],
  getReplay: READ,
  cancelReplay: ['operator'],
  redriveDead: ['operator'],
  getJob: READ,
  listMessages: READ,
  resendMessage: ['operator'],
  getOrder: ['operator', 'viewer', 'shop'],
  listOrders: READ,
  registerOrder: ['operator', 'shop'],
  listPayments: READ,
  linkPayment: ['operator'],
  listQueues: READ,
  listAudit: READ,
  search: READ,
  getStatistics: READ,
}

let gateway: TestGateway
let operations: { method: string; path: string; id: string }[]
beforeAll(async () => {
  // Each caller has an address of its own, so that wrong tokens are not too many.
  gateway = await startTestGateway({ role: 'api', env: { TRUST_PROXY: '1' } })
  const document = await (await fetch(`${gateway.url}/openapi.json`)).json()
  operations = listOperations(document)
    .filter(({ path }) => path.startsWith('/api/'))
    .map(({ method, path, operation }) => ({ method: method.toUpperCase(), path, id: operation.operationId }))
})
afterAll(() => gateway.stop())

let calls = 0
/** Nothing that the call is about exists and its body is empty, so that it changes nothing where it is allowed. */
function ask(id: string, headers: Record<string, string>) {
  const operation = operations.find((one) => one.id === id)
  if (!operation) throw new Error(`There is no operation ${id}`)
  calls += 1
  const path = operation.path.replaceAll(/\{\w+\}/g, randomUUID())
  const { method } = operation
  const address = `10.0.${calls >> 8}.${calls & 255}`
  return callApi(gateway.url, path, {
    method,
    headers: { 'X-Forwarded-For': address, ...headers },
    ...(method !== 'GET' && { body: '{}' }),
  })
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

it('every operation of the API is one that is tested here', () => {
  expect(operations.map(({ id }) => id).sort()).toEqual(Object.keys(ALLOWED).sort())
})

describe.each(Object.keys(ALLOWED))('%s', (id) => {
  it.each([
    ['has no token', { Authorization: '' }],
    ['has a wrong token', bearer('wrong-token-wrong-token-wrong-token')],
    ['has a token as a cookie', { Authorization: '', Cookie: `token=${OPERATOR_TOKEN}; Authorization=Bearer ${OPERATOR_TOKEN}` }],
    [
      'comes from a page of another site, which has no token',
      { Authorization: '', Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' },
    ],
  ])('is answered 401 when the request %s', async (_what, headers) => {
    const { status, body, headers: answered } = await ask(id, headers)

    expect({ status, code: body.code }).toEqual({ status: 401, code: 'token_invalid' })
    expect(answered.get('set-cookie')).toBeNull()
  })

  const roles = Object.keys(TOKENS) as Role[]
  it.each(roles)('lets in who may, and answers 403 to who may not: %s', async (role) => {
    const { status, body } = await ask(id, bearer(TOKENS[role]))

    if (ALLOWED[id]?.includes(role)) expect([200, 400, 404]).toContain(status)
    else expect({ status, code: body.code }).toEqual({ status: 403, code: 'role_insufficient' })
  })
})

describe('a page of another site', () => {
  it.each(['GET', 'POST', 'PUT', 'OPTIONS'])('is never allowed to read an answer: %s', async (method) => {
    const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST', 'Sec-Fetch-Site': 'cross-site' }
    const answers = await Promise.all(
      ['/api/events', '/api/events/evt_1/replay', '/webhooks/stripe', '/metrics'].map((path) =>
        callApi(gateway.url, path, { method, headers }),
      ),
    )

    for (const answer of answers) expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
  })
})
