import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts'
import { diffMigrations } from '../src/platform/migrations.ts'

// Prints the SQL that leads from the migrations to schema.prisma, and fails when there is any: a migration is missing.
const postgres = await startEmbeddedPostgres({ dataDir: await mkdtemp(join(tmpdir(), 'sluice-diff-')), durable: false })
try {
  const sql = await diffMigrations({ url: postgres.url, schema: 'public' })
  if (sql === '') {
    process.stdout.write('No migration is missing.\n')
  } else {
    process.stdout.write(`${sql}\n`)
    process.stderr.write('A migration is missing: save this as prisma/migrations/<yyyymmddhhmmss>_<verb_noun>/migration.sql\n')
    process.exitCode = 1
  }
} finally {
  await postgres.destroy()
}
