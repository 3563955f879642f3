import { json, type RequestHandler, type Response, Router } from 'express'
import type { z } from 'zod'
import type { Caller } from '../caller.ts'
import type { TokenRole } from '../config.ts'
import { validate } from '../platform/validate.ts'
import { requireRole } from './authenticate.ts'

type Answer = { description: string; schema: z.ZodType; headers?: z.ZodObject }

/** What the document says of an operation; the schemas that stand here are the ones that validate. */
export type OperationContract = {
  method: 'get' | 'put' | 'post'
  /** In the form of OpenAPI: `/api/events/{id}`. */
  path: string
  id: string
  summary: string
  description?: string
  roles?: TokenRole[]
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  answers: Record<number, Answer>
  /** The codes of the problems that this operation answers, by status. */
  problems?: Record<number, string[]>
}

export type OperationInput<Contract extends OperationContract> = {
  params: InferOr<Contract['params']>
  query: InferOr<Contract['query']>
  body: InferOr<Contract['body']>
  caller: Caller
  response: Response
}

type InferOr<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined
/** Undefined where the handler has answered by itself. */
export type Outcome = { status: number; body: object; headers?: Record<string, string> } | undefined
export type Operation = { contract: OperationContract; handler: RequestHandler[] }

export function defineOperation<const Contract extends OperationContract>(
  contract: Contract,
  handle: (input: OperationInput<Contract>) => Promise<Outcome>,
): Operation {
  const handler: RequestHandler = async (request, response) => {
    const input = {
      params: contract.params && validate(contract.params, request.params),
      query: contract.query && validate(contract.query, request.query),
      body: contract.body && validate(contract.body, request.body),
      caller: response.locals.caller,
      response,
    } as OperationInput<Contract>
    const outcome = await handle(input)
    if (outcome)
      response
        .status(outcome.status)
        .set(outcome.headers ?? {})
        .json(outcome.body)
  }
  return {
    contract,
    handler: [...(contract.roles ? [requireRole(...contract.roles)] : []), ...(contract.body ? [json({ limit: '64kb' })] : []), handler],
  }
}

export function mountOperations(operations: Operation[]): Router {
  const router = Router()
  for (const { contract, handler } of operations) router[contract.method](contract.path.replaceAll(/\{(\w+)\}/g, ':$1'), ...handler)
  return router
}
