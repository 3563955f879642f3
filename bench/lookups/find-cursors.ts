import { type History, timeAt, UNMATCHED_EVERY } from '../history/history.ts'
import { ask } from './ask.ts'

// Four fifths of what a list has stand before the page.
const DEEP_PART = 0.8
const MAX_LIMIT = 200

/** Of a page deep inside; a cursor says where a page begins, whatever the filters. */
export async function findCursors(url: string, history: History): Promise<Record<'events' | 'orders' | 'payments', string>> {
  const time = timeAt(history, 1 - DEEP_PART)
  return {
    events: await findNext(`${url}/api/events?limit=1&received_to=${time}`),
    orders: await findNext(`${url}/api/orders?limit=1&updated_to=${time}`),
    payments: await walk(`${url}/api/payments?unmatched=true`, Math.floor((history.orders / UNMATCHED_EVERY) * DEEP_PART)),
  }
}

async function findNext(page: string): Promise<string> {
  const answer = await ask(page)
  const cursor: string | null = answer && JSON.parse(answer).next_cursor
  if (!cursor) throw new Error(`Nothing stands behind ${page}`)
  return cursor
}

/** Page by page past so many rows: no filter leads into the middle of this list. */
async function walk(list: string, rows: number): Promise<string> {
  const limit = Math.min(rows, MAX_LIMIT)
  let cursor = await findNext(`${list}&limit=${limit}`)
  for (let passed = limit; passed + limit <= rows; passed += limit) cursor = await findNext(`${list}&limit=${limit}&cursor=${cursor}`)
  return cursor
}
