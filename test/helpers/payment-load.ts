import { buildEvent, buildIntent, deliver, uniqueId } from './signed-webhook.ts'
import { waitUntil } from './wait-until.ts'

export type Load = {
  /** Every event that was ever sent, by its id, and what its payment adds to its order. */
  sent: Map<string, LoadEvent>
  /** The ids of those that were answered 2xx at least once. */
  answered: Set<string>
  /** Answers that a sender must never see: anything but 2xx and 503. */
  unexpected: number[]
  /** Sends no new event and waits for those under way. */
  stop(): Promise<void>
}

type LoadEvent = { orderId: string; amountMinor: bigint; isPayment: boolean; event: ReturnType<typeof buildEvent> }
export type LoadOptions = { urls: string[]; random: () => number; connections?: number }

const EVENTS_PER_ORDER = 4

/**
 * Sends events of payments without a pause, over some connections at once: every fourth names a new order, every tenth the
 * same busy order, every seventh says that a payment was created, and every fifth is sent twice. What gets no answer is sent
 * again to the next gateway until it has one, or is given up, as a sender that crashes would.
 */
export function startPaymentLoad({ urls, random, connections = 16 }: LoadOptions): Load {
  const prefix = uniqueId('ord')
  const sent = new Map<string, LoadEvent>()
  const answered = new Set<string>()
  const unexpected: number[] = []
  let stopped = false

  async function sendOnce(id: string, url: string): Promise<boolean> {
    const { status } = await deliver(url, sent.get(id)?.event ?? '').catch(() => ({ status: 0 }))
    if (status >= 200 && status < 300) answered.add(id)
    else if (status !== 0 && status !== 503) unexpected.push(status)
    return answered.has(id)
  }

  async function sendUntilAnswered(id: string): Promise<void> {
    const start = Math.floor(random() * urls.length)
    let attempt = 0
    await waitUntil(
      `${id} is answered or given up`,
      async () => {
        const isAnswered = await sendOnce(id, urls[(start + attempt) % urls.length] as string)
        attempt += 1
        return isAnswered || stopped || random() < 0.01
      },
      120_000,
    )
  }

  async function sendContinuously(): Promise<void> {
    while (!stopped) {
      const next = nextEvent(prefix, sent.size)
      sent.set(next.event.id, next)
      const copies = sent.size % 5 === 0 ? 2 : 1
      await Promise.all(Array.from({ length: copies }, () => sendUntilAnswered(next.event.id)))
    }
  }

  const senders = Promise.all(Array.from({ length: connections }, sendContinuously))
  return {
    sent,
    answered,
    unexpected,
    async stop() {
      stopped = true
      await senders
    },
  }
}

function nextEvent(prefix: string, index: number): LoadEvent {
  const orderId = index % 10 === 0 ? `${prefix}_busy` : `${prefix}_${Math.floor(index / EVENTS_PER_ORDER)}`
  const isPayment = index % 7 !== 0
  const amount = 100 + (index % 1000)
  const object = buildIntent({ amount, amount_received: isPayment ? amount : 0, metadata: { order_id: orderId } })
  const event = buildEvent({ type: isPayment ? 'payment_intent.succeeded' : 'payment_intent.created', object })
  return { orderId, amountMinor: isPayment ? BigInt(amount) : 0n, isPayment, event }
}
