import type { BenchDatabase } from '../database.ts'

type Index = { drop: string; make: string }

// Constraints drop their own indexes.
const LIST_INDEXES = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
  from pg_constraint where connamespace = 'sluice'::regnamespace and contype in ('p', 'u') and conrelid::regclass::text not like '%prisma%'
  union all
  select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
  from pg_index join pg_class c on c.oid = indrelid
  where relnamespace = 'sluice'::regnamespace and not exists (select from pg_constraint where conindid = indexrelid)`

type RebuildIndexes = (onPart: (part: number) => void) => Promise<void>

/** Takes the indexes away, since to build them at the end costs a fraction of keeping them; the returned function does that. */
export async function dropIndexes(database: BenchDatabase): Promise<RebuildIndexes> {
  const indexes = await database.query<Index>(LIST_INDEXES)
  for (const { drop } of indexes) await database.query(drop)
  return async (onPart) => {
    for (const { make } of indexes) {
      await database.query(`set maintenance_work_mem = '512MB'; ${make}`)
      onPart(1 / indexes.length)
    }
  }
}
