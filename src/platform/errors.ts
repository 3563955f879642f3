/** An answer to a client: RFC 9457 problem details are made of it. `detail` must never echo input or secrets. */
export class HttpError extends Error {
  override name = 'HttpError'
  readonly status: number
  readonly code: string
  readonly headers: Record<string, string>

  constructor(status: number, code: string, detail: string, options: ErrorOptions & { headers?: Record<string, string> } = {}) {
    super(detail, options)
    this.status = status
    this.code = code
    this.headers = options.headers ?? {}
  }
}

/** We could not do it now, and the caller should send the same again. */
export class UnavailableError extends HttpError {
  override name = 'UnavailableError'

  constructor(detail: string, options: ErrorOptions & { code?: string; retryAfterSeconds?: number } = {}) {
    const headers = { 'Retry-After': String(options.retryAfterSeconds ?? 5) }
    super(503, options.code ?? 'unavailable', detail, { ...options, headers })
  }
}

/** The operator has to change something before the process can run; `problems` names each thing. */
export class StartError extends Error {
  override name = 'StartError'
  readonly problems: string[]

  constructor(problems: string[], options?: ErrorOptions) {
    super(problems.join('\n'), options)
    this.problems = problems
  }
}

/** Another transaction came first; nothing was written, and the same again is right. */
export class ConflictError extends Error {
  override name = 'ConflictError'
}

/** Ours, or PostgreSQL's deadlock or serialization failure. */
export function isConflict(error: unknown): boolean {
  return error instanceof ConflictError || ['40P01', '40001'].includes(sqlState(error) ?? '')
}

/** BSD's EX_CONFIG: supervisors tell "wrong configuration" from a crash by it. */
export const EXIT_CONFIG = 78

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}
