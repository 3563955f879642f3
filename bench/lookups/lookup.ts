import { type History, idOf } from '../history/history.ts'

/** A call of the API whose time is measured. */
export type Lookup = { name: string; path(subject: Subject): string }

/** What one of the calls asks for. Each asks for another, so that not all of them find the same warm pages. */
export type Subject = {
  history: History
  event: { messageId: string; eventId: string }
  /** The id of an order with this rest when its number is divided by `every`. */
  order(every?: number, rest?: number): string
}

/** The subjects of so many calls, spread over the whole history. */
export function createSubjects(history: History, events: Subject['event'][]): Subject[] {
  return events.map((event, index) => ({
    history,
    event,
    order: (every = 1, rest = 0) => idOf(rest + every * Math.floor((index / events.length) * Math.floor(history.orders / every))),
  }))
}

/** A list with filters. */
export function listLookup(list: string, name: string, filter: (subject: Subject) => Record<string, string>): Lookup {
  return { name, path: (subject) => `${list}?${new URLSearchParams(filter(subject))}` }
}
