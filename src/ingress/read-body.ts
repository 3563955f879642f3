import type { IncomingMessage } from 'node:http'
import getRawBody from 'raw-body'
import { HttpError, UnavailableError } from '../platform/errors.ts'

export type BodyLimits = { maxBodyBytes: number; maxInflightBytes: number }
export type BodyReader = {
  /** Refuses what the headers already rule out; reads nothing. */
  checkHeaders(request: IncomingMessage): void
  /** The bytes as they came. They count as in flight until `release`. */
  read(request: IncomingMessage): Promise<{ body: Buffer; release(): void }>
  inflightBytes(): number
}

/**
 * Reads bodies within a limit each and a limit together. What has arrived counts, not what was announced: to announce
 * costs nothing, so a few slow forgeries would keep honest deliveries out.
 */
export function createBodyReader({ maxBodyBytes, maxInflightBytes }: BodyLimits): BodyReader {
  let inflightBytes = 0

  function countArriving(request: IncomingMessage): { release(): void } {
    let counted = 0
    function add({ length }: Buffer): void {
      counted += length
      inflightBytes += length
      if (inflightBytes <= maxInflightBytes) return
      release()
      // raw-body stops at an error of its stream. To destroy the stream would take the connection from the answer.
      request.emit('error', overloaded())
    }
    function release(): void {
      request.off('data', add)
      inflightBytes -= counted
      counted = 0
    }
    request.on('data', add)
    return { release }
  }

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
      const { release } = countArriving(request)
      try {
        return { body: await getRawBody(request, { limit: maxBodyBytes, ...(length !== undefined && { length }) }), release }
      } catch (error) {
        release()
        // The rest is read away uncounted: most senders read no answer before they have sent everything.
        if (error instanceof UnavailableError) request.resume()
        throw toHttpError(error, maxBodyBytes)
      }
    },
    inflightBytes: () => inflightBytes,
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

function overloaded(): UnavailableError {
  return new UnavailableError('Too many bytes in flight. Send it again.', { code: 'overloaded', retryAfterSeconds: 1 })
}

// The rest of the body is not read, so the connection cannot carry another request.
function tooLarge(maxBodyBytes: number): HttpError {
  return new HttpError(413, 'body_too_large', `The body is over ${maxBodyBytes} bytes.`, { headers: { Connection: 'close' } })
}
