import type { Context } from '../context.ts'
import { type ProcessEventJob, QUEUES } from '../events/event-jobs.ts'
import { lockWantedEvents, type WantedEvents } from '../events/load-events.ts'
import { type Attempt, insertAttempts, insertReferences, type SettledEvent, settleEvents } from '../events/settle-events.ts'
import type { EventFacts } from '../orders/apply-facts.ts'
import { applyPaymentFacts } from '../orders/apply-payment-facts.ts'
import type { HistoryEntry } from '../orders/order.ts'
import { retryConflicts, type Transaction } from '../platform/database.ts'
import { type Job, joining } from '../platform/queue.ts'
import { endReplays, removeDeadJobs } from './end-replays.ts'
import { handleEvents } from './handle-events.ts'
import { type InterpretedEvent, interpretEvents } from './interpret-events.ts'
import { findCauses } from './tell-changes.ts'

export type Deps = Pick<Context, 'config' | 'db' | 'queue' | 'providers' | 'metrics' | 'logger' | 'clock' | 'tellChanges' | 'handlers'>
/** What an event came to, and when it had arrived. */
export type ProcessedEvent = SettledEvent & { receivedAt: Date }
export type EventJob = Job<ProcessEventJob>

/**
 * Processes the events of these jobs: orders, history, messages, the events' state, the attempts and the completion of the jobs
 * commit in one transaction, or nothing does. An event that is no longer `received` has had its effect already, unless its job says `again`.
 */
export async function processBatch(deps: Deps, jobs: EventJob[]): Promise<ProcessedEvent[]> {
  const startedAt = deps.clock()
  const wanted = {
    messageIds: jobs.map(({ data }) => data.message_id),
    again: jobs.filter(({ data }) => data.again).map(({ data }) => data.message_id),
  }
  const interpreted = await interpretEvents(deps, wanted)

  return retryConflicts(() => deps.db.transaction((tx) => applyAndSettle(deps, tx, { jobs, wanted, interpreted, startedAt })))
}

type Batch = { jobs: EventJob[]; wanted: WantedEvents; interpreted: InterpretedEvent[]; startedAt: Date }

async function applyAndSettle(deps: Deps, tx: Transaction, { jobs, wanted, interpreted, startedAt }: Batch): Promise<ProcessedEvent[]> {
  const { schema } = deps.db
  const locked = await lockWantedEvents(tx, schema, wanted)
  const ours = interpreted.filter(({ event }) => locked.has(event.messageId))
  const now = deps.clock()
  const { history, changes } = await applyPaymentFacts(tx, schema, inOrderOfHappening(ours, jobs), now)
  await deps.tellChanges(tx, findCauses(changes, history, jobs), now)
  await insertReferences(tx, schema, unnamedOrders(ours, history))
  const changedOrders = new Set(history.map(({ messageId }) => messageId))
  const settled = ours.map((one) => settle(one, changedOrders.has(one.event.messageId)))
  if (settled.length > 0) await settleEvents(tx, schema, settled, now)
  await handleEvents(deps, tx, { events: ours.map(({ event }) => event), settled, jobs })
  await endReplays(deps, tx, { jobs, status: 'done', at: now })
  await removeDeadJobs(
    deps,
    tx,
    ours.filter(({ event }) => event.status === 'dead').map(({ event }) => event.messageId),
  )
  const attempts = jobs.map((job) => toAttempt(job, startedAt, now))
  await insertAttempts(tx, schema, attempts)
  await completeJobs(deps, tx, jobs)
  return settled
}

/** Events may come in any order; this one only makes the history of an order read as it happened. */
function inOrderOfHappening(interpreted: InterpretedEvent[], jobs: EventJob[]): EventFacts[] {
  const asked = new Map(jobs.map(({ data }) => [data.message_id, data]))
  return interpreted
    .flatMap(({ event, interpretation }) =>
      interpretation.kind === 'facts'
        ? [
            {
              messageId: event.messageId,
              isRepeat: event.status !== 'received',
              replayId: asked.get(event.messageId)?.replay_id,
              correlationId: asked.get(event.messageId)?.correlation_id,
              facts: interpretation.facts,
            },
          ]
        : [],
    )
    .sort((left, right) => timeOf(left) - timeOf(right))
}

function timeOf({ facts }: EventFacts): number {
  return facts[0]?.occurredAt.getTime() ?? 0
}

/** An event can change an order that it does not name, as a refund does; it has to be found by that order as well. */
function unnamedOrders(events: InterpretedEvent[], history: HistoryEntry[]) {
  const named = new Set(
    events.flatMap(({ event, interpretation }) => interpretation.references.map(({ value }) => `${event.messageId} ${value}`)),
  )
  return history.flatMap(({ messageId, orderId }) =>
    messageId === null || named.has(`${messageId} ${orderId}`) ? [] : [{ messageId, kind: 'order' as const, value: orderId }],
  )
}

function settle({ event: { messageId, receivedAt }, interpretation }: InterpretedEvent, changedOrder: boolean): ProcessedEvent {
  if (interpretation.kind !== 'facts') return { messageId, receivedAt, status: interpretation.kind, reason: interpretation.reason }
  const namesOrder = changedOrder || interpretation.facts.some(({ orderId }) => orderId !== undefined)
  return { messageId, receivedAt, status: 'processed', reason: namesOrder ? null : 'order_not_named' }
}

function toAttempt(job: EventJob, startedAt: Date, finishedAt: Date): Attempt {
  return {
    messageId: job.data.message_id,
    jobId: job.id,
    attempt: job.retryCount + 1,
    startedAt,
    finishedAt,
    outcome: 'succeeded',
    error: null,
  }
}

/** A job that another worker has taken over since (this one was thought dead) must not be settled twice. */
async function completeJobs({ queue }: Deps, tx: Transaction, jobs: EventJob[]): Promise<void> {
  const { affected } = (await queue.complete(QUEUES.processEvent, jobs, null, { db: joining(tx) })) as { affected: number }
  if (affected !== jobs.length) throw new ClaimLostError(`${jobs.length - affected} of ${jobs.length} jobs are no longer ours`)
}

class ClaimLostError extends Error {
  override name = 'ClaimLostError'
}
