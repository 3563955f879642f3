import { timingSafeEqual } from 'node:crypto'
import { type RequestHandler, Router } from 'express'
import { Gauge } from 'prom-client'
import { sha256 } from '../config.ts'
import type { Context } from '../context.ts'
import { QUEUES } from '../events/event-jobs.ts'
import { measureOutbox } from '../outbox/measure-outbox.ts'
import { describeError } from '../platform/describe-error.ts'
import { HttpError } from '../platform/errors.ts'
import { measureQueue } from '../platform/measure-queue.ts'

type Deps = Pick<Context, 'config' | 'db' | 'queueSchema' | 'metrics' | 'backpressure' | 'logger'>

// Several scrapers at once must not make the database count several times.
const MEASURE_EVERY_MS = 5000

/** `GET /metrics` in Prometheus' text format. */
export function createMetricsRoute(deps: Deps): Router {
  const { registry } = deps.metrics
  const updates = [createQueueGauges(deps), createOutboxGauges(deps)]
  const router = Router()
  router.get('/metrics', requireMetricsToken(deps.config.metricsToken), async (_request, response) => {
    const updated = Promise.all(updates.map((update) => update()))
    await updated.catch((error: unknown) => deps.logger.warn('queue.unmeasured', { error: describeError(error) }))
    response.set('Content-Type', registry.contentType).send(await registry.metrics())
  })
  return router
}

function createQueueGauges({ db, queueSchema: schema, metrics, backpressure }: Deps): () => Promise<void> {
  const registers = [metrics.registry]
  const jobs = new Gauge({ name: 'sluice_queue_jobs', help: 'Jobs by queue and state', labelNames: ['queue', 'state'], registers })
  const oldest = new Gauge({
    name: 'sluice_queue_oldest_ready_seconds',
    help: 'How long the oldest job that is due has waited',
    labelNames: ['queue'],
    registers,
  })
  const accepting = new Gauge({ name: 'sluice_accepting', help: '1 while deliveries are accepted, 0 while they are refused', registers })
  const queue = QUEUES.processEvent
  let measuredAt = Number.NEGATIVE_INFINITY
  return async () => {
    accepting.set(backpressure.isAccepting() ? 1 : 0)
    if (performance.now() - measuredAt < MEASURE_EVERY_MS) return
    measuredAt = performance.now()
    // While the database is away there are no numbers rather than old ones.
    jobs.reset()
    oldest.reset()
    const { oldestReadySeconds, ...counts } = await measureQueue(db.pool, { schema, name: queue, deadLetter: QUEUES.deadEvents })
    for (const [state, count] of Object.entries(counts)) jobs.set({ queue, state }, count)
    oldest.set({ queue }, oldestReadySeconds ?? 0)
  }
}

function createOutboxGauges({ db, config, metrics }: Deps): () => Promise<void> {
  const registers = [metrics.registry]
  const messages = new Gauge({
    name: 'sluice_outbox_messages',
    help: 'Order messages that wait for a receiver, or could not be delivered to it (dead)',
    labelNames: ['state'],
    registers,
  })
  const oldest = new Gauge({ name: 'sluice_outbox_oldest_waiting_seconds', help: 'Age of the oldest order message that waits', registers })
  const { urls } = config.orderWebhooks
  let measuredAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (urls.length === 0 || performance.now() - measuredAt < MEASURE_EVERY_MS) return
    measuredAt = performance.now()
    messages.reset()
    oldest.reset()
    const { waiting, dead, oldestWaitingSeconds } = await measureOutbox(db.pool, db.schema, urls)
    messages.set({ state: 'waiting' }, waiting)
    messages.set({ state: 'dead' }, dead)
    oldest.set(oldestWaitingSeconds ?? 0)
  }
}

function requireMetricsToken(token: string | undefined): RequestHandler {
  const wanted = token === undefined ? undefined : sha256(token)
  return (request, _response, next) => {
    const given = /^Bearer +(\S+)$/i.exec(request.get('Authorization') ?? '')?.[1] ?? ''
    if (wanted === undefined || timingSafeEqual(wanted, sha256(given))) return next()
    throw new HttpError(401, 'token_invalid', 'Send METRICS_TOKEN: Authorization: Bearer <token>.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    })
  }
}
