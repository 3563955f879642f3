import type { Finding } from './finding.ts'

/** A genuine event: the digests of the bodies in which it was delivered, each until it was answered 2xx, and what the answers said. */
export type SentEvent = { eventId: string; digests: string[]; accepted: number; messageIds: string[] }

/** An event's row, with what belongs to it. */
export type StoredEvent = {
  eventId: string
  messageId: string
  status: string
  digests: string[]
  /** Jobs that succeeded, and attempts that did: the latter are more only if one job had its effect twice. */
  jobs: number
  successes: number
  /** The most changes of one order that stand in the history with this event as their cause. */
  changes: number
}

export function judgeEvents(sent: SentEvent[], stored: StoredEvent[]): Finding[] {
  const rows = Map.groupBy(stored, ({ eventId }) => eventId)
  const known = new Set(sent.map(({ eventId }) => eventId))
  const madeUp = stored.filter(({ eventId }) => !known.has(eventId))
  return [
    ...sent.flatMap((event) => judgeEvent(event, rows.get(event.eventId) ?? [])),
    ...madeUp.map(({ eventId }): Finding => ({ kind: 'forged', what: `${eventId} is stored, and was never signed` })),
  ]
}

function judgeEvent(sent: SentEvent, rows: StoredEvent[]): Finding[] {
  const [row, ...others] = rows
  const { eventId } = sent
  if (!row) return [{ kind: 'lost', what: `${eventId} was answered 2xx and is not stored` }]
  const findings: Finding[] = others.length > 0 ? [{ kind: 'doubled', what: `${eventId} is stored ${rows.length} times` }] : []
  return [...findings, ...judgeAnswers(sent, row), ...judgeBodies(sent, row), ...judgeEffect(sent, row)]
}

function judgeAnswers({ eventId, accepted, messageIds }: SentEvent, { messageId }: StoredEvent): Finding[] {
  const findings: Finding[] = []
  if (accepted > 1) findings.push({ kind: 'doubled', what: `${eventId} was accepted as new ${accepted} times` })
  const others = messageIds.filter((id) => id !== messageId)
  if (others.length > 0) findings.push({ kind: 'wrong', what: `${eventId} is ${messageId}, and was answered as ${others.join(', ')}` })
  return findings
}

function judgeBodies({ eventId, digests }: SentEvent, row: StoredEvent): Finding[] {
  const missing = digests.filter((digest) => !row.digests.includes(digest))
  const strange = row.digests.filter((digest) => !digests.includes(digest))
  return [
    ...missing.map((): Finding => ({ kind: 'lost', what: `${eventId}: a body was answered 2xx and is not stored` })),
    ...strange.map((): Finding => ({ kind: 'forged', what: `${eventId}: a stored body was never signed` })),
  ]
}

/** Each body is a job of its own; the ledger makes the same facts twice one, so that effects are counted by jobs and history. */
function judgeEffect({ eventId, digests }: SentEvent, { status, jobs, successes, changes }: StoredEvent): Finding[] {
  const findings: Finding[] = []
  const bodies = digests.length
  if (['received', 'dead'].includes(status)) findings.push({ kind: 'lost', what: `${eventId} is stored and \`${status}\`, not applied` })
  else if (jobs < bodies) findings.push({ kind: 'lost', what: `${eventId}: ${jobs} of its ${bodies} jobs succeeded` })
  if (jobs > bodies) findings.push({ kind: 'doubled', what: `${eventId} has ${bodies} bodies, and ${jobs} jobs succeeded` })
  if (successes > jobs) findings.push({ kind: 'doubled', what: `${eventId}: one job succeeded twice` })
  if (changes > bodies) findings.push({ kind: 'doubled', what: `${eventId} changed one order ${changes} times` })
  return findings
}
