import { Agent, request } from 'node:http'
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
    for (const [index, delivery] of waiting) statuses[index] = await sendOne(url, agent, delivery)
  }
  await Promise.all(Array.from({ length: connections }, sendNext))
  agent.destroy()
  return statuses
}

function sendOne(url: string, agent: Agent, { body, signature }: SignedDelivery): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), 'Stripe-Signature': signature }
    const outgoing = request(`${url}/webhooks/stripe`, { method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
