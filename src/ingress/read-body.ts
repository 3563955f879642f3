import type { IncomingMessage } from 'node:http'
import getRawBody from 'raw-body'
import { HttpError, UnavailableError } from '../platform/errors.ts'

export type BodyLimits = { maxBodyBytes: number; maxInflightBytes: number }
export type BodyReader = {
  /** Refuses what the headers already rule out; reads nothing. */
  checkHeaders(request: IncomingMessage): void
  /** The bytes as they came. They count as in flight until `release`. */
  read(request: IncomingMessage): Promise<{ body: Buffer; release(): void }>
}

/** Reads bodies within a limit each and a limit together. A body that does not say its length counts as the largest. */
export function createBodyReader({ maxBodyBytes, maxInflightBytes }: BodyLimits): BodyReader {
  let inflightBytes = 0

  return {
    checkHeaders(request) {
      const encoding = request.headers['content-encoding']
      if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
        throw new HttpError(415, 'encoding_unsupported', 'Send the body without Content-Encoding.')
      }
      if ((contentLength(request) ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes)
    },
    async read(request) {
      const length = contentLength(request)
      const reserved = length ?? maxBodyBytes
      if (inflightBytes + reserved > maxInflightBytes) {
        throw new UnavailableError('Too many bytes in flight. Send it again.', { code: 'overloaded', retryAfterSeconds: 1 })
      }
      inflightBytes += reserved
      const release = once(() => {
        inflightBytes -= reserved
      })
      try {
        return { body: await getRawBody(request, { limit: maxBodyBytes, ...(length !== undefined && { length }) }), release }
      } catch (error) {
        release()
        throw toHttpError(error, maxBodyBytes)
      }
    },
  }
}

function contentLength(request: IncomingMessage): number | undefined {
  const header = request.headers['content-length']
  return header === undefined ? undefined : Number(header)
}

function toHttpError(error: unknown, maxBodyBytes: number): unknown {
  const { type } = error as getRawBody.RawBodyError
  if (type === 'entity.too.large') return tooLarge(maxBodyBytes)
  if (type === 'request.aborted' || type === 'request.size.invalid')
    return new HttpError(400, 'body_incomplete', 'The body ended before its Content-Length.', { cause: error })
  return error
}

// The rest of the body is not read, so the connection cannot carry another request.
function tooLarge(maxBodyBytes: number): HttpError {
  return new HttpError(413, 'body_too_large', `The body is over ${maxBodyBytes} bytes.`, { headers: { Connection: 'close' } })
}

function once(action: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) action()
    isDone = true
  }
}
