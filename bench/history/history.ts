/** What a filled database holds: an order of five events every five seconds, until it was filled. */
export type History = { events: number; orders: number; endedAt: Date }

export const EVENTS_OF_AN_ORDER = 5
/** So many payments have one among them that no order claims. */
export const UNMATCHED_EVERY = 20

/** As it stands at the end of the ids of an order: `ord_000000000042`, `pi_000000000042`, … */
export function idOf(order: number): string {
  return String(order).padStart(12, '0')
}

/** When the given part of the events had arrived. */
export function timeAt({ events, endedAt }: History, part: number): string {
  return new Date(endedAt.getTime() - (1 - part) * events * 1000).toISOString()
}
