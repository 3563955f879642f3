import { type AuditRequest, insertAudit } from '../audit/audit-log.ts'
import type { ObjectRef } from '../events/payment-fact.ts'
import { type Database, retryConflicts, type Transaction } from '../platform/database.ts'
import { type Books, rederiveClusters } from './apply-facts.ts'
import { changeBooks } from './apply-payment-facts.ts'
import { hear } from './ledger.ts'
import { keyOf, keysOf, refOf } from './object-key.ts'
import { findObjects } from './objects-sql.ts'
import type { CausedChange, TellChanges } from './order.ts'
import { insertHistory } from './orders-sql.ts'

type Deps = { db: Database; tellChanges: TellChanges }

/** `paymentId` is the payment's or any alias of it: a charge, a checkout, an invoice, a refund, a dispute. */
export type LinkRequest = {
  provider: string
  paymentId: string
  orderId: string
  linkId: string
  request: AuditRequest & { reason: string }
}

/** A person says which order a payment belongs to; the latest word of a person wins over what any event names. False where nothing has this id. */
export async function linkPayment({ db, tellChanges }: Deps, request: LinkRequest): Promise<boolean> {
  return retryConflicts(() =>
    db.transaction(async (tx) => {
      const object = await findAlias(tx, db.schema, request)
      if (!object) return false
      const changes = await link(tx, db.schema, object, request)
      await tellChanges(tx, changes, request.request.at)
      const { provider, orderId, linkId } = request
      const subject = { provider, object: keyOf(object), order_id: orderId, link_id: linkId }
      await insertAudit(tx, db.schema, { ...request.request, action: 'payment.linked', subject })
      return true
    }),
  )
}

async function findAlias(tx: Transaction, schema: string, { provider, paymentId }: LinkRequest): Promise<ObjectRef | undefined> {
  if ([provider, paymentId].some((text) => text.includes('\0'))) return undefined
  const names = keysOf(paymentId).map((key) => ({ provider, key }))
  const found = new Set((await findObjects(tx, schema, names)).map(({ key }) => key))
  const name = names.find(({ key }) => found.has(key))
  return name && refOf(name.key)
}

async function link(tx: Transaction, schema: string, object: ObjectRef, request: LinkRequest): Promise<CausedChange[]> {
  const { provider, orderId } = request
  const { at: now, actor, reason, correlationId } = request.request
  const note = `linked by ${actor}: ${reason}`
  const { result, changes } = await changeBooks(tx, schema, {
    names: [{ provider, key: keyOf(object) }],
    orderIds: [orderId],
    now,
    apply: (books) => applyLink(books, object, request),
  })
  const entries = result.map((change) => ({
    ...change,
    at: now,
    messageId: null,
    replayId: null,
    correlationId,
    fact: 'payment.linked',
    note,
  }))
  if (entries.length > 0) await insertHistory(tx, schema, entries)
  return changes.map((change) => ({ ...change, correlationId, causationId: null }))
}

function applyLink(books: Books, object: ObjectRef, { provider, orderId, linkId, request }: LinkRequest) {
  const heard = { link: [request.at.toISOString(), linkId, orderId] }
  const { cluster } = hear(books.ledger, { provider, object, relatesTo: [], heard })
  const before = new Map([...books.orders].map(([id, order]) => [id, order.status]))
  const touched = new Set([orderId, ...rederiveClusters(books, [cluster])])
  return [...touched].sort().map((id) => {
    const to = books.orders.get(id)?.status ?? 'pending'
    return { orderId: id, from: before.get(id) ?? to, to }
  })
}
