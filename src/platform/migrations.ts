import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm'
import pg from 'pg'
import { quoteIdentifier } from './database.ts'
import { StartError, sqlState } from './errors.ts'
import { SchemaAdapter } from './schema-adapter.ts'

const PRISMA_FOLDER = fileURLToPath(new URL('../../prisma/', import.meta.url))
const MIGRATIONS_FOLDER = join(PRISMA_FOLDER, 'migrations')
const NO_FILTER = { externalTables: [], externalEnums: [] }

/** Node has it; the types for Node do not. */
declare const WebAssembly: { instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }> }

export type MigrationTarget = { url: string; schema: string }

/**
 * Applies what is missing with Prisma's own engine, in WebAssembly, and returns the names. It keeps the ordinary
 * `_prisma_migrations` table, so `prisma migrate deploy` agrees with it.
 */
export async function applyMigrations(target: MigrationTarget): Promise<string[]> {
  await createSchema(target)
  return withEngine(target, async (engine) => {
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList: await readMigrations(), filters: NO_FILTER })
    return appliedMigrationNames
  })
}

/** The SQL that leads from the migrations to schema.prisma; empty when no migration is missing. Needs the right to create a database. */
export async function diffMigrations(target: MigrationTarget): Promise<string> {
  const { stdout } = await withEngine(target, async (engine) =>
    engine.diff({
      from: { tag: 'migrations', ...(await readMigrations()) },
      to: { tag: 'schemaDatamodel', files: [await readDatamodel()] },
      script: true,
      exitCode: null,
      filters: NO_FILTER,
    }),
  )
  return stdout?.includes('This is an empty migration') ? '' : (stdout ?? '')
}

/** The migrations that the database lacks, by name. */
export async function findMissingMigrations(pool: Pick<pg.Pool, 'query'>, schema: string): Promise<string[]> {
  const wanted = (await readMigrations()).migrationDirectories.map(({ path }) => path)
  const table = `${quoteIdentifier(schema)}._prisma_migrations`
  const { rows: found } = await pool.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [table])
  if (!found[0]?.exists) return wanted
  const { rows } = await pool.query<{ migration_name: string }>(
    `select migration_name from ${table} where finished_at is not null and rolled_back_at is null`,
  )
  const applied = new Set(rows.map((row) => row.migration_name))
  return wanted.filter((name) => !applied.has(name))
}

/** One migrator at a time per database, whoever it is; the lock ends with the connection. */
export async function withMigrationLock<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'sluice-migrate' })
  client.on('error', () => {})
  await client.connect()
  try {
    // A transaction holds its lock through a pooler too, where a session's would be left behind.
    await client.query(`begin; set local idle_in_transaction_session_timeout = 0; select pg_advisory_xact_lock(hashtext('sluice-migrate'))`)
    return await work()
  } finally {
    await client.end()
  }
}

/** A role that may not create schemas can be given one. */
async function createSchema(target: MigrationTarget): Promise<void> {
  const name = quoteIdentifier(target.schema)
  const client = new pg.Client(connectionIn(target))
  try {
    await client.connect()
    const { rows } = await client.query<{ exists: boolean; path: string }>(
      `select exists (select from pg_namespace where nspname = $1) as exists, current_setting('search_path') as path`,
      [target.schema],
    )
    if (rows[0]?.path !== name) throw pooled()
    if (!rows[0].exists) await client.query(`create schema if not exists ${name}`)
  } catch (error) {
    throw sqlState(error) === PROTOCOL_VIOLATION ? pooled(error) : error
  } finally {
    await client.end()
  }
}

/** Migrations name no schema, so the connection decides where the tables go. */
function connectionIn({ url, schema }: MigrationTarget): pg.ClientConfig {
  return { connectionString: url, options: `-c search_path=${quoteIdentifier(schema)}` }
}

const PROTOCOL_VIOLATION = '08P01'

/** A pooler refuses a connection that chooses its schema, or is told to ignore the choice: the tables would go elsewhere. */
function pooled(cause?: unknown): StartError {
  return new StartError(['DATABASE_URL leads through a pooler, and migrations need the server itself. Set DATABASE_DIRECT_URL.'], { cause })
}

async function withEngine<T>(target: MigrationTarget, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  const adapter = new SchemaAdapter(connectionIn(target), target.schema)
  const { path, content } = await readDatamodel()
  const Engine = await loadEngine()
  const engine = await Engine.new({ datamodels: [[path, content]] }, () => {}, bindMigrationAwareSqlAdapterFactory(adapter))
  try {
    return await work(engine)
  } finally {
    engine.free()
    await adapter.close()
  }
}

// The bindings keep the instance in a variable of their own and break when they are given a second one.
let loading: Promise<typeof SchemaEngine> | undefined

function loadEngine(): Promise<typeof SchemaEngine> {
  loading ??= instantiateEngine()
  return loading
}

async function instantiateEngine(): Promise<typeof SchemaEngine> {
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg')
  const wasm = createRequire(import.meta.url)
    .resolve('@prisma/schema-engine-wasm/schema_engine_bg')
    .replace(/\.js$/, '.wasm')
  const { instance } = await WebAssembly.instantiate(await readFile(wasm), { './schema_engine_bg.js': bindings })
  bindings.__wbg_set_wasm(instance.exports)
  ;(instance.exports.__wbindgen_start as () => void)()
  return bindings.SchemaEngine
}

async function readDatamodel(): Promise<{ path: string; content: string }> {
  const path = join(PRISMA_FOLDER, 'schema.prisma')
  return { path, content: await readFile(path, 'utf8') }
}

async function readMigrations(): Promise<MigrationList> {
  const names = (await readdir(MIGRATIONS_FOLDER, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
  const migrationDirectories = names.sort().map(async (path) => {
    const value = await readFile(join(MIGRATIONS_FOLDER, path, 'migration.sql'), 'utf8')
    return { path, migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value } } }
  })
  return {
    baseDir: MIGRATIONS_FOLDER,
    lockfile: { path: 'migration_lock.toml', content: await readFile(join(MIGRATIONS_FOLDER, 'migration_lock.toml'), 'utf8') },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(migrationDirectories),
  }
}
