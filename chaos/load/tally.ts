import type { RawAnswer } from '../../test/helpers/send-many.ts'
import type { Delivery } from './deliveries.ts'

/** What the answers to the deliveries of one event said. */
export type Answered = { taken: number /** 202: stored as new. */; accepted: number; messageIds: Set<string> }

export type Counts = {
  /** Deliveries that had their end; `attempts` also counts what was sent again. */
  deliveries: number
  forgeries: number
  attempts: number
  taken: number
  refused: number
  shed: number
  unavailable: number
  unanswered: number
}

export type Tally = {
  counts: Counts
  answered: Map<string, Answered>
  /** Answers that a sender must never see. */
  unexpected: string[]
  /** `again` where it has to be sent once more. */
  count(delivery: Delivery, answer: RawAnswer | undefined): 'done' | 'again'
  giveUp(delivery: Delivery): void
}

export function createTally(): Tally {
  const counts = { deliveries: 0, forgeries: 0, attempts: 0, taken: 0, refused: 0, shed: 0, unavailable: 0, unanswered: 0 }
  const answered = new Map<string, Answered>()
  const unexpected: string[] = []

  function countAgain(answer: RawAnswer | undefined): 'again' {
    const isShed = answer?.text.includes('"queue_full"')
    if (answer && !(Number(answer.headers['retry-after']) > 0)) unexpected.push('503 without Retry-After')
    counts[answer === undefined ? 'unanswered' : isShed ? 'shed' : 'unavailable'] += 1
    return 'again'
  }

  function countEnd(delivery: Delivery, answer: RawAnswer): 'done' {
    counts.deliveries += 1
    if (delivery.isForged) counts.forgeries += 1
    if (isTaken(answer.status) && !delivery.isForged) {
      counts.taken += 1
      note(answered, answer)
    } else if (isRefused(answer.status) && delivery.isForged) counts.refused += 1
    else unexpected.push(`${answer.status} to ${delivery.isForged ? 'a forgery of ' : ''}${delivery.eventId}`)
    return 'done'
  }

  return {
    counts,
    answered,
    unexpected,
    count(delivery, answer) {
      counts.attempts += 1
      return answer === undefined || answer.status === 503 ? countAgain(answer) : countEnd(delivery, answer)
    },
    giveUp: ({ eventId }) => void unexpected.push(`no answer but 503 to ${eventId} in all that time`),
  }
}

const isTaken = (status: number) => status === 200 || status === 202
const isRefused = (status: number) => status >= 400 && status < 500

function note(answered: Map<string, Answered>, { status, text }: RawAnswer): void {
  const { event_id: eventId, message_id: messageId } = JSON.parse(text) as Record<string, string>
  const known = answered.get(eventId as string) ?? { taken: 0, accepted: 0, messageIds: new Set() }
  known.taken += 1
  if (status === 202) known.accepted += 1
  known.messageIds.add(messageId as string)
  answered.set(eventId as string, known)
}
