import { OPERATOR_TOKEN } from './start-test-gateway.ts'
import { waitUntil } from './wait-until.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read answers whose shape is what they assert
export type Json = any

export type ApiAnswer = { status: number; headers: Headers; body: Json }

export async function callApi(
  url: string,
  path: string,
  { token = OPERATOR_TOKEN, ...init }: RequestInit & { token?: string } = {},
): Promise<ApiAnswer> {
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(init.body ? { 'Content-Type': 'application/json' } : {}),
    ...(init.headers as Record<string, string>),
  }
  const response = await fetch(`${url}${path}`, { ...init, headers })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text }
}

/** The event, once its job has had its end. */
export async function waitForEvent(url: string, id: string): Promise<Json> {
  return waitUntil(`${id} is processed`, async () => {
    const { body } = await callApi(url, `/api/events/${id}`)
    return body.status !== undefined && body.status !== 'received' && body
  })
}

export async function getOrder(url: string, orderId: string): Promise<Json> {
  return (await callApi(url, `/api/orders/${encodeURIComponent(orderId)}`)).body
}
