import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type SignedDelivery, WEBHOOK_PATH } from '../deliveries.ts'

export type RateOptions = { url: string; deliveries: SignedDelivery[]; eventsPerSecond: number; connections: number; onAnswer(): void }
/** Milliseconds since 1970, by event id. */
export type Sent = Map<string, { sentAt: number; answeredAt: number; isAccepted: boolean }>
export type RateResult = { sent: Sent; sentPerSecond: number; unansweredAtEnd: number }

const TICK_MS = 5

/** Sends at a fixed rate, whatever the answers do: an open loop. */
export async function sendAtRate({ url, deliveries, eventsPerSecond, connections, onAnswer }: RateOptions): Promise<RateResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const sent: Sent = new Map()
  const answers: Promise<void>[] = []
  const startedAt = performance.now()
  while (answers.length < deliveries.length) {
    const due = Math.min(deliveries.length, Math.ceil(((performance.now() - startedAt) / 1000) * eventsPerSecond))
    for (const delivery of deliveries.slice(answers.length, due)) {
      const sentAt = now()
      const answer = send(url, delivery, agent).then((isAccepted) => {
        sent.set(delivery.eventId, { sentAt, answeredAt: now(), isAccepted })
        onAnswer()
      })
      answers.push(answer)
    }
    await delay(TICK_MS)
  }
  const sentPerSecond = (deliveries.length / (performance.now() - startedAt)) * 1000
  const unansweredAtEnd = deliveries.length - sent.size
  await Promise.all(answers)
  agent.destroy()
  return { sent, sentPerSecond, unansweredAtEnd }
}

/** With fractions, to be compared with the database's. */
function now(): number {
  return performance.timeOrigin + performance.now()
}

function send(url: string, { headers, body }: SignedDelivery, agent: Agent): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { ...headers, 'Content-Length': body.length } }
    const outgoing = request(`${url}${WEBHOOK_PATH}`, options, (response) => {
      const { statusCode = 0 } = response
      response.resume().once('end', () => resolve(statusCode >= 200 && statusCode < 300))
    })
    outgoing.once('error', reject).end(body)
  })
}
