import { describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { migrate } from '../../src/context.ts'
import { applyMigrations, diffMigrations, findMissingMigrations } from '../../src/platform/migrations.ts'
import { testConfig } from '../helpers/start-test-gateway.ts'
import { createTestDatabase } from '../helpers/test-database.ts'

describe('migrations', () => {
  it('lead to exactly what schema.prisma says', async () => {
    const database = await createTestDatabase()

    // `public` of a fresh copy is empty, so the shadow database and the schema have one name.
    const missing = await diffMigrations({ url: database.url, schema: 'public' })

    expect(missing).toBe('')
    await database.drop()
  })

  it('are named when the database lacks them, and applied once', async () => {
    const database = await createTestDatabase()
    const pool = new pg.Pool({ connectionString: database.url })
    const target = { url: database.url, schema: 'beside_the_shop' }

    const before = await findMissingMigrations(pool, target.schema)
    const applied = await applyMigrations(target)
    const again = await applyMigrations(target)

    expect(before).toEqual(applied)
    expect(before.length).toBeGreaterThan(0)
    expect(again).toEqual([])
    expect(await findMissingMigrations(pool, target.schema)).toEqual([])
    await pool.end()
    await database.drop()
  })

  it('wait for each other when two processes migrate at once', async () => {
    const database = await createTestDatabase()
    const config = testConfig(database.url, 'worker', { DATABASE_SCHEMA: 'twice' })

    const applied = await Promise.all([migrate(config), migrate(config)])

    expect(applied.flat().length).toBeGreaterThan(0)
    expect(applied.some((names) => names.length === 0)).toBe(true)
    await database.drop()
  })
})
