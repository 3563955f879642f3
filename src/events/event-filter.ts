import type { EventStatus } from './event.ts'

export type EventFilter = {
  provider?: string | undefined
  type?: string | undefined
  status?: EventStatus | undefined
  orderId?: string | undefined
  /** Any id or e-mail address that stands in the event. */
  reference?: string | undefined
  /** Inclusive. */
  receivedFrom?: Date | undefined
  /** Exclusive. */
  receivedTo?: Date | undefined
  livemode?: boolean | undefined
}

/** A filter as the API, the audit and the table of replays write it. */
export type WrittenFilter = {
  provider?: string | undefined
  type?: string | undefined
  status?: EventStatus | undefined
  order_id?: string | undefined
  reference?: string | undefined
  received_from?: string | undefined
  received_to?: string | undefined
  livemode?: boolean | undefined
}

export function readFilter({ order_id: orderId, received_from: from, received_to: to, ...same }: WrittenFilter): EventFilter {
  return { ...same, orderId, receivedFrom: readTime(from), receivedTo: readTime(to) }
}

export function writeFilter({ orderId, receivedFrom, receivedTo, ...same }: EventFilter): WrittenFilter {
  const written = { ...same, order_id: orderId, received_from: receivedFrom?.toISOString(), received_to: receivedTo?.toISOString() }
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined))
}

function readTime(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text)
}
