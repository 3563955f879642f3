import type { Config } from '../config.ts'
import type { Metrics } from '../metrics.ts'
import type { Database } from '../platform/database.ts'
import type { Logger } from '../platform/logger.ts'
import { type Claim, giveBack, type Settlement, settle } from './lanes.ts'
import { retryDelayMs } from './retry-delay.ts'
import { sendMessage } from './send-message.ts'

export type RelayDeps = {
  config: Pick<Config, 'orderWebhooks'>
  db: Pick<Database, 'pool' | 'schema'>
  metrics: Metrics
  logger: Logger
  clock: () => Date
}

/** Sends the message of a claimed lane once, and settles what became of it. */
export async function relayMessage(deps: RelayDeps, claim: Claim, isOver: AbortSignal): Promise<void> {
  const { db, config, clock } = deps
  const { keys, timeoutMs } = config.orderWebhooks
  const startedAt = performance.now()
  const failure = await sendMessage(claim.message, { url: claim.url, keys, timeoutMs, now: clock(), isOver })
  if (failure !== undefined && isOver.aborted) return giveBack(db.pool, db.schema, claim, clock())
  const settlement = judge(claim, failure, clock())
  const isOurs = await settle(db.pool, db.schema, claim, settlement)
  tell(deps, claim, { ...settlement, isOurs, seconds: (performance.now() - startedAt) / 1000 })
}

function judge({ attempts, expiresAt }: Claim, failure: string | undefined, now: Date): Settlement {
  if (failure === undefined) return { status: 'delivered', error: null, dueAt: now, now }
  if (now >= expiresAt) return { status: 'dead', error: failure, dueAt: now, now }
  const dueAt = new Date(Math.min(now.getTime() + retryDelayMs(attempts + 1), expiresAt.getTime()))
  return { status: 'waiting', error: failure, dueAt, now }
}

type Told = Settlement & { isOurs: boolean; seconds: number }

function tell({ metrics, logger }: RelayDeps, claim: Claim, { status, error, isOurs, seconds }: Told): void {
  const outcome = error === null ? 'delivered' : 'failed'
  metrics.messageAttemptSeconds.observe({ outcome }, seconds)
  const fields = { ...idsOf(claim), error: error ?? undefined }
  if (!isOurs) logger.warn('message.claim-lost', { ...fields, outcome })
  else if (status === 'delivered') logger.info('message.delivered', fields)
  else if (status === 'waiting') logger.warn('message.failed', fields)
  else logger.error('message.died', fields)
  if (isOurs && status === 'dead') metrics.deadMessages.inc()
}

/** Of the address only the host: the rest can hold a secret. */
function idsOf({ message, url, attempts }: Claim) {
  return {
    message_id: message.messageId,
    order_id: message.orderId,
    sequence: message.sequence,
    attempt: attempts + 1,
    receiver: new URL(url).host,
    correlation_id: message.correlationId,
    causation_id: message.causationId ?? undefined,
  }
}
