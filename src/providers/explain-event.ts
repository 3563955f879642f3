import { loadStoredEvent } from '../events/load-events.ts'
import type { PaymentFact } from '../events/payment-fact.ts'
import type { Database } from '../platform/database.ts'
import { getProvider, type Providers } from './registry.ts'

type Deps = { db: Database; providers: Providers }

/** What a stored event says of payments as it is read today; nothing where its provider is no longer configured. */
export async function explainEvent({ db, providers }: Deps, messageId: string): Promise<PaymentFact[]> {
  const event = await loadStoredEvent(db.pool, db.schema, messageId)
  if (!event || !providers.has(event.provider)) return []
  const interpretation = getProvider(providers, event.provider).interpret(event)
  return interpretation.kind === 'facts' ? interpretation.facts : []
}
