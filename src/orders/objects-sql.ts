import { columns, type Transaction } from '../platform/database.ts'
import { ConflictError } from '../platform/errors.ts'
import type { Heard } from './heard.ts'
import type { LedgerObject } from './ledger.ts'

export type ObjectName = { provider: string; key: string }
export type FoundObject = ObjectName & { clusterKey: string }

/** Those of the named objects that are there, and in which cluster they are now; nothing is locked yet. */
export async function findObjects(tx: Transaction, schema: string, names: ObjectName[]): Promise<FoundObject[]> {
  const { rows } = await tx.query<FoundObject>(
    `select provider, object_key as key, cluster_key as "clusterKey" from ${schema}.payment_objects
     where (provider, object_key) in (select * from unnest($1::text[], $2::text[]))`,
    columns(names, ({ provider, key }) => [provider, key]),
  )
  return rows
}

/** Whoever changes an object, or adds one to its cluster, holds the row that the cluster is named after. */
export async function lockClusters(tx: Transaction, schema: string, clusters: ObjectName[]): Promise<void> {
  await tx.query(
    `select from ${schema}.payment_objects where (provider, object_key) in (select * from unnest($1::text[], $2::text[]))
     order by provider collate "C", object_key collate "C" for update`,
    columns(clusters, ({ provider, key }) => [provider, key]),
  )
}

/** Every object of these clusters. */
export async function loadObjects(tx: Transaction, schema: string, clusters: ObjectName[]): Promise<LedgerObject[]> {
  const { rows } = await tx.query<LedgerObject>(
    `select provider, object_key as key, cluster_key as "clusterKey", heard from ${schema}.payment_objects
     where (provider, cluster_key) in (select * from unnest($1::text[], $2::text[]))`,
    columns(clusters, ({ provider, key }) => [provider, key]),
  )
  return rows
}

/** A ConflictError where another transaction was first to make one of them: its cluster has to be loaded and locked. */
export async function insertObjects(tx: Transaction, schema: string, objects: LedgerObject[]): Promise<void> {
  const sorted = [...objects].sort((left, right) => (nameIn(left) < nameIn(right) ? -1 : 1))
  const { rowCount } = await tx.query(
    `insert into ${schema}.payment_objects (provider, object_key, cluster_key, heard)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) on conflict do nothing`,
    columns(sorted, ({ provider, key, clusterKey, heard }) => [provider, key, clusterKey, toJson(heard)]),
  )
  if (rowCount !== objects.length) throw new ConflictError('Another transaction made an object at the same time')
}

export async function updateObjects(tx: Transaction, schema: string, objects: LedgerObject[]): Promise<void> {
  await tx.query(
    `update ${schema}.payment_objects o set cluster_key = i.cluster_key, heard = i.heard
     from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) as i(provider, object_key, cluster_key, heard)
     where o.provider = i.provider and o.object_key = i.object_key`,
    columns(objects, ({ provider, key, clusterKey, heard }) => [provider, key, clusterKey, toJson(heard)]),
  )
}

function nameIn({ provider, key }: LedgerObject): string {
  return `${provider} ${key}`
}

function toJson(heard: Heard): string {
  return JSON.stringify(heard)
}
