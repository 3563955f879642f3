import type { Config } from '../config.ts'
import { migrate } from '../context.ts'
import { StartError } from '../platform/errors.ts'

export async function runMigrate(config: Config): Promise<void> {
  if (!config.database.url) throw new StartError(['DATABASE_URL: required. The embedded database is migrated by npm start.'])
  const applied = await migrate(config)
  // Prisma's engine leaves a timer of ten seconds behind, for which nobody should wait.
  process.stdout.write(applied.length === 0 ? 'The database is up to date.\n' : `Applied ${applied.join(', ')}.\n`, () => process.exit())
}
