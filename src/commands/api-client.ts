import type { EventAnswer } from '../api/event-schema.ts'
import type { OrderAnswer } from '../api/order-schema.ts'
import type { Config } from '../config.ts'
import { localFile, readLocalFile } from '../local-mode.ts'
import { StartError } from '../platform/errors.ts'

export type ApiClient = {
  /** Where webhooks go. */
  address: string
  findEvent(id: string): Promise<EventAnswer | undefined>
  findOrder(id: string): Promise<OrderAnswer | undefined>
}

/** Talks to the running gateway with the token that is configured or that `npm start` made. */
export async function createApiClient(config: Config): Promise<ApiClient> {
  const address = await findAddress(config)
  const { operatorPort } = config.http
  const apiAddress = operatorPort === undefined ? address : `http://localhost:${operatorPort}`
  const token = await findToken(config)

  async function find<Answer>(path: string): Promise<Answer | undefined> {
    const response = await request(`${apiAddress}${path}`, { headers: { Authorization: `Bearer ${token}` } })
    if (response.status === 404) return undefined
    if (!response.ok) throw new Error(`${apiAddress}${path} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as Answer
  }
  return {
    address,
    findEvent: (id) => find<EventAnswer>(`/api/events/${encodeURIComponent(id)}`),
    findOrder: (id) => find<OrderAnswer>(`/api/orders/${encodeURIComponent(id)}`),
  }
}

/** Where the gateway is: PUBLIC_URL, else where `npm start` on this data folder last listened, else PORT. */
async function findAddress(config: Config): Promise<string> {
  return config.http.publicUrl ?? (await readLocalFile(config, 'address')) ?? `http://localhost:${config.http.port}`
}

export async function request(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, redirect: 'manual' }).catch((cause: unknown) => {
    throw new Error(`No gateway answers at ${new URL(url).origin}. Start one with: npm start`, { cause })
  })
}

async function findToken(config: Config): Promise<string> {
  const configured = config.operatorToken
  const token = configured ?? (await readLocalFile(config, 'operatorToken'))
  if (!token)
    throw new StartError([`OPERATOR_TOKENS: needed to ask the API (or ${localFile(config, 'operatorToken')}, which npm start makes)`])
  return token
}
