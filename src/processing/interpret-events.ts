import type { StoredEvent } from '../events/event.ts'
import { loadWantedEvents, type WantedEvents } from '../events/load-events.ts'
import { insertReferences } from '../events/settle-events.ts'
import type { Interpretation } from '../providers/provider.ts'
import { getProvider } from '../providers/registry.ts'
import type { Deps } from './process-batch.ts'

export type InterpretedEvent = { event: StoredEvent; interpretation: Interpretation }

/** What the wanted events mean. Their references are committed at once, so that one that fails is found by them too. */
export async function interpretEvents({ db, providers }: Deps, wanted: WantedEvents): Promise<InterpretedEvent[]> {
  const events = await loadWantedEvents(db.pool, db.schema, wanted)
  const interpreted = events.map((event) => ({ event, interpretation: getProvider(providers, event.provider).interpret(event) }))
  const references = interpreted.flatMap(({ event, interpretation }) =>
    interpretation.references.map((reference) => ({ ...reference, messageId: event.messageId })),
  )
  await insertReferences(db.pool, db.schema, references)
  return interpreted
}
