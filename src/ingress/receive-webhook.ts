import { type Request, type Response, Router } from 'express'
import { Gauge } from 'prom-client'
import type { Context } from '../context.ts'
import type { Delivery, RecordOutcome } from '../events/event.ts'
import { recordEvents } from '../events/record-events.ts'
import { createBatcher } from '../platform/batcher.ts'
import { HttpError, UnavailableError } from '../platform/errors.ts'
import { createMessageIds } from '../platform/message-id.ts'
import type { Provider, VerifiedDelivery } from '../providers/provider.ts'
import { type BodyReader, createBodyReader } from './read-body.ts'
import { createRefusalLog } from './refusal-log.ts'

export type Ingress = { router: Router; stop(): Promise<void> }
type Deps = Pick<Context, 'config' | 'db' | 'queue' | 'backpressure' | 'metrics' | 'providers' | 'logger' | 'clock'>

// A larger batch holds its transaction open longer than it saves.
const MAX_BATCH_ROWS = 200
const MAX_BATCH_BYTES = 8 * 1024 * 1024

/** `POST /webhooks/{provider}`: raw bytes → verified → recorded once → answered. Nothing else reads or parses the body before. */
export function createIngress(deps: Deps): Ingress {
  const { http, database } = deps.config
  const bodies = createBodyReader(http)
  showInflightBytes(deps, bodies)
  const refusals = createRefusalLog(deps)
  const createMessageId = createMessageIds()
  const recorder = createBatcher<Delivery, RecordOutcome>({
    maxItems: MAX_BATCH_ROWS,
    maxBytes: MAX_BATCH_BYTES,
    timeoutMs: database.commitTimeoutMs,
    bytesOf: ({ body }) => body.length,
    flush: (deliveries) => {
      deps.metrics.commitBatchSize.observe(deliveries.length)
      return recordEvents(deps, deliveries)
    },
  })

  async function receiveWebhook(request: Request<{ provider: string }>, response: Response): Promise<void> {
    const provider = findProvider(deps, request)
    const checked = provider.checkHeaders(request.headers, deps.clock())
    bodies.checkHeaders(request)
    if (!deps.backpressure.isAccepting()) throw shedding()
    const { body, release } = await bodies.read(request)
    try {
      const verified = await provider.verify(checked, body)
      const deliveries = toDeliveries({
        createMessageId,
        receivedAt: deps.clock(),
        provider,
        verified,
        body,
        correlationId: response.locals.correlationId,
      })
      const outcomes = await Promise.all(deliveries.map((delivery) => recorder.add(delivery)))
      answer(response, outcomes)
      deps.backpressure.noteRecorded(outcomes.filter(({ kind }) => kind === 'accepted').length)
      logRecorded(deps, deliveries, outcomes)
    } finally {
      release()
    }
  }

  const router = Router({ caseSensitive: true })
  router.all('/webhooks/:provider', async (request, response) => {
    const count = startCounting(deps, request)
    try {
      await receiveWebhook(request, response)
      count(response.statusCode === 202 ? 'accepted' : 'duplicate')
    } catch (error) {
      const isRefused = error instanceof HttpError && error.status < 500
      if (isRefused) refusals.add(request, response, error)
      count(isRefused ? 'refused' : 'unavailable', error instanceof HttpError ? error.code : 'internal_error')
      throw error
    }
  })
  return { router, stop: () => recorder.stop() }
}

function showInflightBytes({ metrics }: Deps, bodies: BodyReader): void {
  new Gauge({
    name: 'sluice_inflight_bytes',
    help: 'Bytes of bodies in memory; above MAX_INFLIGHT_BYTES deliveries are answered 503',
    registers: [metrics.registry],
    collect() {
      this.set(bodies.inflightBytes())
    },
  })
}

function startCounting({ metrics, providers }: Deps, request: Request<{ provider: string }>) {
  const startedAt = performance.now()
  // Anybody can ask for any path; only names that we know may become labels.
  const provider = providers.has(request.params.provider) ? request.params.provider : 'unknown'
  return (outcome: 'accepted' | 'duplicate' | 'refused' | 'unavailable', code = '') => {
    metrics.deliveries.inc({ provider, outcome, code })
    metrics.ingestSeconds.observe({ outcome }, (performance.now() - startedAt) / 1000)
  }
}

function shedding(): UnavailableError {
  return new UnavailableError('Too many events wait to be processed. Send it again later.', { code: 'queue_full', retryAfterSeconds: 30 })
}

function findProvider({ providers }: Deps, request: Request<{ provider: string }>): Provider {
  const provider = providers.get(request.params.provider)
  if (!provider) throw new HttpError(404, 'provider_unknown', 'No provider of this name is configured.')
  if (request.method !== 'POST')
    throw new HttpError(405, 'method_not_allowed', 'Deliveries are sent with POST.', { headers: { Allow: 'POST' } })
  return provider
}

type VerifiedInput = {
  createMessageId: (time: Date) => string
  receivedAt: Date
  provider: Provider
  verified: VerifiedDelivery
  body: Buffer
  correlationId: string
}

function toDeliveries({ createMessageId, receivedAt, provider, verified, body, correlationId }: VerifiedInput): Delivery[] {
  return verified.events.map((event) => ({
    ...event,
    provider: provider.name,
    // Ids sort by the time of arrival, so that a page of the newest events is a walk along the primary key.
    messageId: createMessageId(receivedAt),
    correlationId,
    receivedAt,
    secretName: verified.secretName,
    body,
  }))
}

function answer(response: Response, outcomes: RecordOutcome[]): void {
  const { correlationId } = response.locals
  const events = outcomes.map(({ kind, eventId, messageId, jobId }) => ({
    status: kind,
    event_id: eventId,
    message_id: messageId,
    job_id: jobId,
    correlation_id: correlationId,
  }))
  response.status(outcomes.some(({ kind }) => kind === 'accepted') ? 202 : 200)
  const [first] = events
  if (first && events.length === 1) response.set('Location', `/api/events/${first.message_id}`).json(first)
  else response.json({ events })
}

function logRecorded({ logger }: Deps, deliveries: Delivery[], outcomes: RecordOutcome[]): void {
  for (const [index, { kind, eventId, messageId, jobId }] of outcomes.entries()) {
    const delivery = deliveries[index] as Delivery
    logger.info(kind === 'accepted' ? 'event.recorded' : 'event.repeated', {
      provider: delivery.provider,
      type: delivery.type,
      event_id: eventId,
      message_id: messageId,
      job_id: jobId,
      correlation_id: delivery.correlationId,
      secret: delivery.secretName,
    })
  }
}
