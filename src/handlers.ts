import { isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describeError } from './platform/describe-error.ts'
import { StartError } from './platform/errors.ts'

/** The connection of our transaction: what it writes commits with the order, or not at all. Never end the transaction. */
export type HandlerTransaction = {
  query<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<{ rows: Row[]; rowCount: number | null }>
}

/** An order whose status, amounts or flags changed. */
export type HandledChange = {
  order_id: string
  from: string
  to: string
  /** Grows with each change of the order. */
  sequence: number
  /** The order as `GET /api/orders/{order_id}` shows it, without its history. */
  order: Record<string, unknown>
  correlation_id: string
  /** The message id of the event that caused it; null for a registration or a link. */
  causation_id: string | null
}

/** An event that was processed, ignored or parked. It comes again when it is replayed. */
export type HandledEvent = {
  message_id: string
  event_id: string
  provider: string
  type: string
  status: string
  reason: string | null
  account: string | null
  livemode: boolean | null
  occurred_at: Date | null
  /** The body of its first delivery, parsed. */
  payload: unknown
  correlation_id: string
  replay_id: string | null
}

/** Thrown by a handler that no later attempt at this event can help: it goes to the dead-letter queue at once. Known by its name. */
export class PermanentError extends Error {
  override name = 'PermanentError'
}

/** What the module that HANDLERS names may export; a throw is a failed attempt, with all that follows. */
export type Handlers = {
  onOrderChange?(tx: HandlerTransaction, change: HandledChange): Promise<void> | void
  onEvent?(tx: HandlerTransaction, event: HandledEvent): Promise<void> | void
}

const NAMES = ['onOrderChange', 'onEvent'] as const

export async function loadHandlers(path: string | undefined): Promise<Handlers> {
  if (path === undefined) return {}
  const file = isAbsolute(path) ? path : resolve(path)
  const module = await import(pathToFileURL(file).href).catch((cause: unknown) => {
    throw new StartError([`HANDLERS: the module cannot be loaded (${describeError(cause)})`], { cause })
  })
  const wrong = NAMES.filter((name) => module[name] !== undefined && typeof module[name] !== 'function')
  const found = NAMES.filter((name) => typeof module[name] === 'function')
  if (wrong.length > 0) throw new StartError(wrong.map((name) => `HANDLERS: ${name} is not a function`))
  if (found.length === 0) throw new StartError([`HANDLERS: the module exports neither ${NAMES.join(' nor ')}`])
  return Object.fromEntries(found.map((name) => [name, module[name]]))
}
