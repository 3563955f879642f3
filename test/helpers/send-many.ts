import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { sign } from './signed-webhook.ts'

export type SignedDelivery = { body: string; signature: string }

export function signDelivery(event: object): SignedDelivery {
  const body = JSON.stringify(event)
  return { body, signature: sign(body) }
}

/** Sends deliveries in their order over so many connections; returns the status of each. */
export async function sendMany(url: string, deliveries: SignedDelivery[], connections: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const statuses: number[] = []
  const waiting = deliveries.entries()
  const sendNext = async () => {
    for (const [index, { body, signature }] of waiting)
      statuses[index] = (await postOver(agent, url, body, { 'Stripe-Signature': signature })).status
  }
  await Promise.all(Array.from({ length: connections }, sendNext))
  agent.destroy()
  return statuses
}

const ANSWER_LIMIT_MS = 30_000

export type RawAnswer = { status: number; headers: IncomingHttpHeaders; text: string }

/** One delivery over the agent's connections; rejects where no whole answer comes. */
export function postOver(agent: Agent, url: string, body: string, headers: Record<string, string>): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const all = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers }
    const options = { method: 'POST', agent, headers: all, timeout: ANSWER_LIMIT_MS }
    const outgoing = request(`${url}/webhooks/stripe`, options, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: answer }), reject)
    })
    outgoing.on('error', reject)
    outgoing.on('timeout', () => outgoing.destroy(new Error('No answer in time')))
    outgoing.end(body)
  })
}
