import type { Request, Response } from 'express'
import type { Context } from '../context.ts'
import type { HttpError } from '../platform/errors.ts'
import { DeliveryRefusedError } from '../providers/provider.ts'

// Anybody can send forgeries as fast as the network carries them; the log must not be the way to fill a disk.
const LINES_PER_SECOND = 10

export type RefusalLog = { add(request: Request, response: Response, error: HttpError): void }

/** Says why a delivery was refused, in sizes, codes, names of secrets and the address; never in what was sent. */
export function createRefusalLog({ logger }: Pick<Context, 'logger'>): RefusalLog {
  let refusals = 0

  function endSecond(): void {
    if (refusals > LINES_PER_SECOND) logger.warn('refusals.suppressed', { count: refusals - LINES_PER_SECOND })
    refusals = 0
  }

  return {
    add(request, response, error) {
      if (refusals === 0) setTimeout(endSecond, 1000).unref()
      refusals += 1
      if (refusals <= LINES_PER_SECOND) logger.warn(refusalName(error), describe(request, response, error))
    },
  }
}

function refusalName({ code }: HttpError): string {
  return /^(signature|timestamp)_/.test(code) ? 'signature.rejected' : 'delivery.refused'
}

function describe(request: Request, response: Response, error: HttpError) {
  const diagnosis = error instanceof DeliveryRefusedError ? error.diagnosis : {}
  return {
    code: error.code,
    address: request.ip,
    content_length: Number(request.headers['content-length'] ?? 0),
    secrets_tried: diagnosis.secretsTried,
    clock_offset_seconds: diagnosis.clockOffsetSeconds,
    hint: diagnosis.hint,
    correlation_id: response.locals.correlationId,
  }
}
