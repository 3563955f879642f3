import { createRequire } from 'node:module'
import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import type { OperationContract } from './operation.ts'
import { problemSchema } from './problem-schema.ts'

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }

const SECURITY = 'token'
// Who may be refused: operator, viewer, shop.
const ROLES = 3

/** OpenAPI 3.1, made of the schemas that validate the requests. */
export function createOpenApiDocument(contracts: OperationContract[]) {
  const paths: ZodOpenApiPathsObject = {}
  for (const contract of contracts) paths[contract.path] = { ...paths[contract.path], [contract.method]: describeOperation(contract) }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version,
      description: 'Webhook ingress gateway for payment providers. Times are RFC 3339 UTC, money is in minor units.',
    },
    paths,
    components: { securitySchemes: { [SECURITY]: { type: 'http', scheme: 'bearer' } } },
  })
}

function describeOperation(contract: OperationContract): ZodOpenApiOperationObject {
  const description = [contract.description, contract.roles && `Roles: ${contract.roles.join(', ')}.`].filter(Boolean).join(' ')
  return {
    operationId: contract.id,
    summary: contract.summary,
    ...(description && { description }),
    ...(contract.roles && { security: [{ [SECURITY]: [] }] }),
    ...((contract.params || contract.query) && {
      requestParams: { ...(contract.params && { path: contract.params }), ...(contract.query && { query: contract.query }) },
    }),
    ...(contract.body && { requestBody: { required: true, content: { 'application/json': { schema: contract.body } } } }),
    responses: { ...describeAnswers(contract), ...describeProblems(contract) },
  }
}

const correlationHeader = z.object({ 'X-Correlation-Id': z.string().meta({ description: 'Names this request in every log line' }) })

function describeAnswers({ answers }: OperationContract) {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema }]) => [
      status,
      { description, headers: correlationHeader, content: { 'application/json': { schema } } },
    ]),
  )
}

function describeProblems(contract: OperationContract) {
  const problems: Record<string, string[]> = {
    ...((contract.query || contract.params || contract.body) && contract.roles && { 400: ['request_invalid'] }),
    ...(contract.body && contract.roles && { 413: ['request_invalid'], 415: ['request_invalid'] }),
    ...(contract.roles && { 401: ['token_invalid'], 429: ['too_many_failures'] }),
    ...(contract.roles && contract.roles.length < ROLES && { 403: ['role_insufficient'] }),
    ...contract.problems,
  }
  return Object.fromEntries(
    Object.entries(problems).map(([status, codes]) => [
      status,
      { description: codes.join(', '), headers: correlationHeader, content: { 'application/problem+json': { schema: problemSchema } } },
    ]),
  )
}
