import { callApi } from './api.ts'
import { OPERATOR_TOKEN, type TestGateway } from './start-test-gateway.ts'

/** The bytes that were stored of an event. */
export async function getPayload(url: string, id: string): Promise<Buffer> {
  const response = await fetch(`${url}/api/events/${encodeURIComponent(id)}/payload`, {
    headers: { Authorization: `Bearer ${OPERATOR_TOKEN}` },
  })
  return Buffer.from(await response.arrayBuffer())
}

export async function isStored(url: string, id: string): Promise<boolean> {
  return (await callApi(url, `/api/events/${encodeURIComponent(id)}`)).status === 200
}

export async function countEvents({ context }: TestGateway): Promise<number> {
  const { rows } = await context.db.pool.query<{ count: string }>(`select count(*) from ${context.db.schema}.webhook_events`)
  return Number(rows[0]?.count)
}
