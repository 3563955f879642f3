import { type EventStory, orderIdsOf } from '../events/find-event.ts'
import { findMessagesOf, type MessageStory } from '../outbox/list-messages.ts'
import { explainEvent } from '../providers/explain-event.ts'
import { formatDuration } from './format.ts'
import type { PageDeps } from './page.ts'
import { texts } from './texts.ts'

/** One line of an event's story. */
export type Happening = {
  at: Date
  tone: 'plain' | 'good' | 'bad' | 'person'
  title: string
  detail?: string | null
  orderId?: string
  replayId?: string
}

const { happened } = texts.event

export async function loadWholeStory(deps: PageDeps, story: EventStory) {
  const orderIds = orderIdsOf(story)
  const { messageId } = story.event
  const [facts, messages] = await Promise.all([explainEvent(deps, messageId), findMessagesOf(deps.db, messageId, orderIds)])
  return { ...story, facts, messages, orderIds }
}

/** Everything that is known to have happened, the first first. */
export function tellStory(story: EventStory & { messages: MessageStory[] }): Happening[] {
  const parts = [tellDeliveries(story), tellReplays(story), tellAttempts(story), tellChanges(story), story.messages.map(tellMessage)]
  return parts.flat().sort((left, right) => left.at.getTime() - right.at.getTime())
}

function tellDeliveries({ event }: EventStory): Happening[] {
  const first: Happening = { at: event.receivedAt, tone: 'plain', title: happened.delivered, detail: happened.signedWith(event.secretName) }
  if (event.duplicateCount === 0 || !event.lastDuplicateAt) return [first]
  return [first, { at: event.lastDuplicateAt, tone: 'plain', title: happened.duplicates(event.duplicateCount) }]
}

function tellAttempts({ attempts }: EventStory): Happening[] {
  return attempts.map(({ attempt, startedAt, finishedAt, outcome, error }) => {
    const took = finishedAt && happened.took(formatDuration(finishedAt.getTime() - startedAt.getTime()))
    const isGood = outcome === 'succeeded'
    return {
      at: finishedAt ?? startedAt,
      tone: isGood ? 'good' : 'bad',
      title: isGood ? happened.attemptSucceeded(attempt) : happened.attemptFailed(attempt),
      detail: error ?? took,
    }
  })
}

function tellChanges({ history }: EventStory): Happening[] {
  return history.map(({ at, from, to, orderId, note }) => ({
    at,
    orderId,
    tone: note ? 'plain' : 'good',
    title: note ? happened.refused : from === to ? happened.same(nameOf(to)) : happened.changed(nameOf(from), nameOf(to)),
    detail: note,
  }))
}

function tellReplays({ replays }: EventStory): Happening[] {
  return replays.map(({ replay, queuedAt }) => ({
    at: queuedAt,
    tone: 'person',
    replayId: replay.replayId,
    title: replay.kind === 'redrive' ? happened.sentBack(replay.requestedBy) : happened.replayed(replay.requestedBy),
    detail: replay.reason,
  }))
}

function tellMessage({ message, dispatches }: MessageStory): Happening {
  const ends = dispatches.map(({ url, status, lastError }) => {
    const end = `${new URL(url).host}: ${nameOf(status).toLowerCase()}`
    return lastError && status !== 'delivered' ? `${end} (${lastError})` : end
  })
  const isDead = dispatches.some(({ status }) => status === 'dead')
  return {
    at: message.createdAt,
    tone: isDead ? 'bad' : 'good',
    title: happened.told(message.type),
    orderId: message.orderId,
    detail: ends.join(', '),
  }
}

function nameOf(status: string): string {
  return texts.status[status] ?? status
}
