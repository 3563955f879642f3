import { defineConfig } from 'prisma/config'

// `prisma generate` wants to download the native schema engine and needs it for nothing; naming any
// executable stops the download. Migrations run on the same engine in WebAssembly (platform/migrations.ts).
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
})
