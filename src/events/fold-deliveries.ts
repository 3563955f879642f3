import type { Delivery } from './event.ts'

export type FoldedDelivery = {
  key: string
  /** The first delivery of the event in this batch. */
  delivery: Delivery
  copies: number
  lastReceivedAt: Date
  /** Later deliveries of the same event in another API version, one for each version. */
  otherVersions: Delivery[]
}

export function keyOf({ provider, eventId }: { provider: string; eventId: string }): string {
  return `${eventId}\n${provider}`
}

/**
 * Repeats of an event become one, and the result is sorted by key: two multi-row inserts with the same keys in
 * opposite order deadlock, even with `on conflict do nothing`.
 */
export function foldRepeats(deliveries: Delivery[]): FoldedDelivery[] {
  const byKey = new Map<string, FoldedDelivery>()
  for (const delivery of deliveries) {
    const key = keyOf(delivery)
    const known = byKey.get(key)
    if (known) addRepeat(known, delivery)
    else byKey.set(key, { key, delivery, copies: 1, lastReceivedAt: delivery.receivedAt, otherVersions: [] })
  }
  return [...byKey.values()].sort((left, right) => (left.key < right.key ? -1 : 1))
}

function addRepeat(folded: FoldedDelivery, delivery: Delivery): void {
  folded.copies += 1
  folded.lastReceivedAt = delivery.receivedAt
  const versions = [folded.delivery, ...folded.otherVersions].map(({ apiVersion }) => apiVersion)
  if (!versions.includes(delivery.apiVersion)) folded.otherVersions.push(delivery)
}
