import { type Request, type Response, Router } from 'express'
import { v7 as uuidv7 } from 'uuid'
import type { Context } from '../context.ts'
import type { Delivery, RecordOutcome } from '../events/event.ts'
import { recordEvents } from '../events/record-events.ts'
import { createBatcher } from '../platform/batcher.ts'
import { HttpError } from '../platform/errors.ts'
import { DeliveryRefusedError, type Provider, type VerifiedDelivery } from '../providers/provider.ts'
import { createBodyReader } from './read-body.ts'
import { createRefusalLog } from './refusal-log.ts'

export type Ingress = { router: Router; stop(): Promise<void> }
type Deps = Pick<Context, 'config' | 'db' | 'queue' | 'providers' | 'logger' | 'clock'>

// A larger batch holds its transaction open longer than it saves.
const MAX_BATCH_ROWS = 200
const MAX_BATCH_BYTES = 8 * 1024 * 1024

/** `POST /webhooks/{provider}`: raw bytes → verified → recorded once → answered. Nothing else reads or parses the body before. */
export function createIngress(deps: Deps): Ingress {
  const { http, database } = deps.config
  const bodies = createBodyReader(http)
  const refusals = createRefusalLog(deps)
  const recorder = createBatcher<Delivery, RecordOutcome>({
    maxItems: MAX_BATCH_ROWS,
    maxBytes: MAX_BATCH_BYTES,
    timeoutMs: database.commitTimeoutMs,
    bytesOf: ({ body }) => body.length,
    flush: (deliveries) => recordEvents(deps, deliveries),
  })

  async function receiveWebhook(request: Request<{ provider: string }>, response: Response): Promise<void> {
    const provider = findProvider(deps, request)
    const checked = provider.checkHeaders(request.headers, deps.clock())
    bodies.checkHeaders(request)
    const { body, release } = await bodies.read(request)
    try {
      const verified = await provider.verify(checked, body)
      const deliveries = toDeliveries({ deps, provider, verified, body, correlationId: response.locals.correlationId })
      const outcomes = await Promise.all(deliveries.map((delivery) => recorder.add(delivery)))
      answer(response, outcomes)
      logRecorded(deps, deliveries, outcomes)
    } finally {
      release()
    }
  }

  const router = Router({ caseSensitive: true })
  router.all('/webhooks/:provider', (request, response) =>
    receiveWebhook(request, response).catch((error: unknown) => {
      if (isRefusal(error)) refusals.add(request, response, error)
      throw error
    }),
  )
  return { router, stop: () => recorder.stop() }
}

function findProvider({ providers }: Deps, request: Request<{ provider: string }>): Provider {
  const provider = providers.get(request.params.provider)
  if (!provider) throw new HttpError(404, 'provider_unknown', 'No provider of this name is configured.')
  if (request.method !== 'POST')
    throw new HttpError(405, 'method_not_allowed', 'Deliveries are sent with POST.', { headers: { Allow: 'POST' } })
  return provider
}

type VerifiedInput = { deps: Deps; provider: Provider; verified: VerifiedDelivery; body: Buffer; correlationId: string }

function toDeliveries({ deps, provider, verified, body, correlationId }: VerifiedInput): Delivery[] {
  const receivedAt = deps.clock()
  return verified.events.map((event) => ({
    ...event,
    provider: provider.name,
    // Ids sort by the time of arrival, so that a page of the newest events is a walk along the primary key.
    messageId: uuidv7({ msecs: receivedAt.getTime() }),
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

function isRefusal(error: unknown): error is HttpError {
  return error instanceof DeliveryRefusedError || (error instanceof HttpError && error.status < 500)
}
