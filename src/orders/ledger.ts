import type { ObjectRef, PaymentFact } from '../events/payment-fact.ts'
import { type Heard, toHeard } from './heard.ts'
import { mergeHeard } from './merge-heard.ts'
import { keyOf } from './object-key.ts'

/** An object at the provider; those that name each other share a cluster, which bears the key of one of them. */
export type LedgerObject = { provider: string; key: string; clusterKey: string; heard: Heard }

/** The clusters that a batch of facts can touch, each of them whole. */
export type Ledger = {
  objects: Map<string, LedgerObject>
  /** The names of the objects of each cluster. */
  clusters: Map<string, Set<string>>
  /** The names of the objects that have a row. */
  stored: ReadonlySet<string>
}

export type Applied = { cluster: string; isNews: boolean }

/** The name of an object, or of a cluster, among all providers. */
export function nameOf(provider: string, key: string): string {
  return `${provider} ${key}`
}

export function buildLedger(objects: LedgerObject[]): Ledger {
  const stored = new Set(objects.map(({ provider, key }) => nameOf(provider, key)))
  const ledger: Ledger = { objects: new Map(), clusters: new Map(), stored }
  for (const object of objects) put(ledger, object)
  return ledger
}

export function objectsOf(ledger: Ledger, cluster: string): LedgerObject[] {
  return [...(ledger.clusters.get(cluster) ?? [])].map((name) => ledger.objects.get(name) as LedgerObject)
}

/** Merges a fact into its object and joins the clusters of what it names; tells whether anything was new. */
export function applyFact(ledger: Ledger, fact: PaymentFact): Applied {
  return hear(ledger, { provider: fact.provider, object: fact.object, relatesTo: fact.relatesTo, heard: toHeard(fact) })
}

type Hearing = { provider: string; object: ObjectRef; relatesTo: ObjectRef[]; heard: Heard }

export function hear(ledger: Ledger, { provider, object, relatesTo, heard }: Hearing): Applied {
  const names = [object, ...relatesTo].map((ref) => find(ledger, provider, keyOf(ref)))
  const clusters = new Set(names.map((name) => clusterOf(ledger, name)))
  const cluster = clusters.size === 1 ? ([...clusters][0] as string) : join(ledger, provider, [...clusters])
  const name = names[0] as string
  const before = ledger.objects.get(name) as LedgerObject
  const merged = mergeHeard(before.heard, heard)
  if (merged !== before.heard) ledger.objects.set(name, { ...before, heard: merged })
  return { cluster, isNews: clusters.size > 1 || merged !== before.heard }
}

function find(ledger: Ledger, provider: string, key: string): string {
  const name = nameOf(provider, key)
  if (!ledger.objects.has(name)) put(ledger, { provider, key, clusterKey: key, heard: {} })
  return name
}

function put(ledger: Ledger, object: LedgerObject): void {
  const name = nameOf(object.provider, object.key)
  const cluster = nameOf(object.provider, object.clusterKey)
  ledger.objects.set(name, object)
  ledger.clusters.set(cluster, (ledger.clusters.get(cluster) ?? new Set()).add(name))
}

function clusterOf(ledger: Ledger, name: string): string {
  const { provider, clusterKey } = ledger.objects.get(name) as LedgerObject
  return nameOf(provider, clusterKey)
}

/** A stored cluster keeps its key, so that its rows need not change where something new joins it. */
function join(ledger: Ledger, provider: string, clusters: string[]): string {
  const rank = (cluster: string) => `${ledger.stored.has(cluster) ? 0 : 1} ${cluster}`
  const [first, ...others] = clusters.sort((left, right) => (rank(left) < rank(right) ? -1 : 1)) as [string, ...string[]]
  const clusterKey = first.slice(provider.length + 1)
  for (const other of others) {
    const names = ledger.clusters.get(other) ?? []
    ledger.clusters.delete(other)
    for (const name of names) put(ledger, { ...(ledger.objects.get(name) as LedgerObject), clusterKey })
  }
  return first
}
