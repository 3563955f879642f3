import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Generates the Prisma client when it is missing or older than its schema. It runs before whatever needs the client
// (`node --import`), since an install script would not run under `npm ci --ignore-scripts`.
const root = fileURLToPath(new URL('../', import.meta.url))
const stamp = `${root}src/generated/schema.sha256`
const digest = createHash('sha256')
  .update(readFileSync(`${root}prisma/schema.prisma`))
  .update(readFileSync(`${root}package-lock.json`))
  .digest('hex')

if (readStamp() !== digest) {
  const cli = fileURLToPath(import.meta.resolve('prisma/build/index.js'))
  const result = spawnSync(process.execPath, [cli, 'generate'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PRISMA_HIDE_UPDATE_MESSAGE: '1', CHECKPOINT_DISABLE: '1' },
  })
  if (result.status !== 0) {
    process.stderr.write(`The Prisma client could not be generated:\n${result.stdout}${result.stderr}`)
    process.exit(1)
  }
  writeFileSync(stamp, digest)
}

function readStamp(): string | undefined {
  try {
    return readFileSync(stamp, 'utf8')
  } catch {
    return undefined
  }
}
