import { createAlarm } from '../platform/alarm.ts'
import { describeError } from '../platform/describe-error.ts'
import { within } from '../platform/shutdown.ts'
import { type Claim, claimLanes } from './lanes.ts'
import { type RelayDeps, relayMessage } from './relay-message.ts'

export type Relay = { start(): void; stop(): Promise<void> }

/** Attempts under way at one receiver. Each has its own, so that one that does not answer holds back no other. */
const CONCURRENCY = 20
const POLL_MS = 500
const AFTER_FAILURE_MS = 5000
// What a receiver has not answered by then is cut off and sent again by whoever comes next.
const STOP_TIMEOUT_MS = 3000
const GIVE_BACK_TIMEOUT_MS = 1000

/** Sends what the outbox holds to every receiver, each order's messages in sequence. Several relays share the work. */
export function createRelay(deps: RelayDeps): Relay {
  const lines = deps.config.orderWebhooks.urls.map((url) => createLine(deps, url))
  return {
    start() {
      for (const line of lines) line.start()
    },
    async stop() {
      await Promise.all(lines.map((line) => line.stop()))
    },
  }
}

/** The relay to one receiver. */
function createLine(deps: RelayDeps, url: string): Relay {
  const sending = new Set<Promise<void>>()
  const alarm = createAlarm()
  const over = new AbortController()
  let isStopping = false
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    while (!isStopping) {
      const claims = await claim(deps, url, CONCURRENCY - sending.size)
      for (const one of claims ?? []) send(one)
      await alarm.sleep(claims ? POLL_MS : AFTER_FAILURE_MS)
    }
  }

  function send(one: Claim): void {
    const attempt = relayMessage(deps, one, over.signal)
      // Its claim lapses, and it is sent again.
      .catch((error: unknown) => deps.logger.warn('message.unsettled', { message_id: one.message.messageId, error: describeError(error) }))
      .finally(() => {
        sending.delete(attempt)
        alarm.wake()
      })
    sending.add(attempt)
  }

  return {
    start() {
      running = run()
    },
    async stop() {
      isStopping = true
      alarm.wake()
      await within(STOP_TIMEOUT_MS, finish())
      over.abort()
      await within(GIVE_BACK_TIMEOUT_MS, finish())
    },
  }

  async function finish(): Promise<void> {
    await running
    await Promise.all(sending)
  }
}

/** Undefined where the database did not answer. */
async function claim({ db, config, clock, logger }: RelayDeps, url: string, limit: number): Promise<Claim[] | undefined> {
  if (limit === 0) return []
  const now = clock()
  // Twice the time that an attempt may take leaves as long to settle it.
  const until = new Date(now.getTime() + 2 * config.orderWebhooks.timeoutMs)
  return claimLanes(db.pool, db.schema, { url, limit, now, until }).catch((error: unknown) => {
    logger.warn('relay.failed', { receiver: new URL(url).host, error: describeError(error) })
    return undefined
  })
}
