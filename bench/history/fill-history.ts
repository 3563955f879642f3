import type { BenchDatabase } from '../database.ts'
import { insertEvents, selectChunk } from './events-sql.ts'
import { EVENTS_OF_AN_ORDER, type History } from './history.ts'
import { dropIndexes } from './indexes.ts'
import { INSERT_ORDERS } from './orders-sql.ts'

const CHUNK_EVENTS = 50_000
// Of the time that it takes; the rest are the indexes.
const INSERT_PART = 0.5

/** Fills an empty database with events of the past and what hangs on them, by SQL: nobody can wait for so many deliveries. */
export async function fillHistory(database: BenchDatabase, events: number, onPart: (part: number) => void): Promise<History> {
  const rebuildIndexes = await dropIndexes(database)
  for (let from = 0; from < events; from += CHUNK_EVENTS) {
    const to = Math.min(from + CHUNK_EVENTS, events)
    // One string is one transaction.
    await database.query([selectChunk(from, to, events), ...insertEvents(events), ...INSERT_ORDERS].join(';'))
    onPart(((to - from) / events) * INSERT_PART)
  }
  const endedAt = new Date()
  await rebuildIndexes((part) => onPart(part * (1 - INSERT_PART)))
  await database.query('vacuum analyze')
  await database.query('checkpoint')
  return { events, orders: Math.floor(events / EVENTS_OF_AN_ORDER), endedAt }
}
