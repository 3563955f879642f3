import type { History } from '../history/history.ts'
import { percentiles } from '../statistics.ts'
import { API_CREDENTIALS, ask, type Credentials, signIn } from './ask.ts'
import { CONSOLE_PAGES } from './console-pages.ts'
import { EVENT_LOOKUPS } from './event-lookups.ts'
import { findCursors } from './find-cursors.ts'
import type { Lookup, Subject } from './lookup.ts'
import { ORDER_LOOKUPS } from './order-lookups.ts'
import { PAYMENT_LOOKUPS } from './payment-lookups.ts'
import { SINGLE_LOOKUPS } from './single-lookups.ts'

/** `shown` are the rows of the last answer; null if the gateway failed. */
export type Timing = { shown: number | null; calls: number; p50Ms: number; p99Ms: number }
export type LookupResult = { name: string; first: Timing; deep: Timing | null }
export type LookupGroup = { title: string /** What each median is to stay under. */; goalMs: number; lookups: LookupResult[] }

type Options = { url: string; history: History; subjects: Subject[]; warmupCalls: number; credentials?: Credentials; onCall(): void }

const MAX_MS = 30_000
const API_GOAL_MS = 10
const PAGE_GOAL_MS = 100

const LISTS = [...EVENT_LOOKUPS, ...ORDER_LOOKUPS, ...PAYMENT_LOOKUPS]

export function countCalls(callsOfEach: number): number {
  return (SINGLE_LOOKUPS.length + 2 * LISTS.length + CONSOLE_PAGES.length) * callsOfEach
}

/** Every look-up once for each subject, one call after the other; lists on their first page and on one deep inside. */
export async function timeLookups(options: Options): Promise<LookupGroup[]> {
  await warmUp(options)
  const signedIn = await signIn(options.url)
  const cursors = await findCursors(options.url, options.history)
  return [
    { title: 'by id, and the queues', goalMs: API_GOAL_MS, lookups: await timeEach(options, SINGLE_LOOKUPS) },
    { title: 'GET /api/events', goalMs: API_GOAL_MS, lookups: await timeEach(options, EVENT_LOOKUPS, cursors.events) },
    { title: 'GET /api/orders', goalMs: API_GOAL_MS, lookups: await timeEach(options, ORDER_LOOKUPS, cursors.orders) },
    { title: 'GET /api/payments', goalMs: API_GOAL_MS, lookups: await timeEach(options, PAYMENT_LOOKUPS, cursors.payments) },
    { title: 'pages of the console', goalMs: PAGE_GOAL_MS, lookups: await timeEach({ ...options, credentials: signedIn }, CONSOLE_PAGES) },
  ]
}

/** A process that has just started has its code to compile. */
async function warmUp({ url, subjects }: Options): Promise<void> {
  for (const subject of subjects.slice(0, 1)) {
    for (const { path } of [...SINGLE_LOOKUPS, ...LISTS]) await ask(`${url}${path(subject)}`)
  }
}

async function timeEach(options: Options, lookups: Lookup[], cursor?: string): Promise<LookupResult[]> {
  const results: LookupResult[] = []
  for (const { name, path } of lookups) {
    const first = await timeCalls(options, path)
    const deep = cursor ? await timeCalls(options, (subject) => withCursor(path(subject), cursor)) : null
    results.push({ name, first, deep })
  }
  return results
}

function withCursor(path: string, cursor: string): string {
  return `${path}${path.endsWith('?') ? '' : '&'}cursor=${cursor}`
}

/** A look-up that takes seconds needs no fifty calls to be seen. */
async function timeCalls(
  { url, subjects, warmupCalls, credentials = API_CREDENTIALS, onCall }: Options,
  path: Lookup['path'],
): Promise<Timing> {
  const durations: number[] = []
  let answer: string | null = ''
  const deadline = performance.now() + MAX_MS
  for (const subject of subjects) {
    const startedAt = performance.now()
    if (answer !== null && startedAt < deadline) {
      answer = await ask(`${url}${path(subject)}`, credentials)
      durations.push(performance.now() - startedAt)
    }
    onCall()
  }
  const measured = durations.slice(Math.min(warmupCalls, durations.length - 1))
  const { p50, p99 } = percentiles(measured)
  return { shown: answer === null ? null : countShown(answer), calls: measured.length, p50Ms: p50, p99Ms: p99 }
}

function countShown(answer: string): number {
  if (!answer.startsWith('{') && !answer.startsWith('[')) return answer.split('<tr>').length - 1
  const { data } = JSON.parse(answer)
  return Array.isArray(data) ? data.length : 1
}
