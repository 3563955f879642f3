import { spawnSync } from 'node:child_process'
import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ServerAccount, serverAccount } from '../../src/platform/postgres-binaries.ts'
import { findFreePort } from './free-port.ts'
import { createFolder, type Program, runProgram } from './run-program.ts'
import { waitUntil } from './wait-until.ts'

export type PgBouncer = AsyncDisposable & {
  /** The address of this database through the pooler. */
  pooled(databaseUrl: string): string
}

// Debian keeps it where only root looks for programs.
const env = { PATH: `${process.env.PATH ?? ''}:/usr/sbin` }

/** The real PgBouncer before this server, in transaction mode, so that whatever needs a session fails. */
export async function startPgBouncer(serverUrl: string, settings: Record<string, string> = {}): Promise<PgBouncer> {
  const { hostname, port: serverPort, username, password } = new URL(serverUrl)
  const account = serverAccount()
  const folder = await createFolder()
  const port = await findFreePort()
  const usersFile = join(folder.path, 'users.txt')
  const configFile = join(folder.path, 'pgbouncer.ini')
  const databases = `* = host=${hostname} port=${serverPort}`
  await writeOwned(usersFile, `"${username}" "${password}"\n`, account)
  await writeOwned(configFile, buildConfig(databases, { listen_port: String(port), auth_file: usersFile, ...settings }), account)
  if (account) await chown(folder.path, account.uid, account.gid)
  const program = runProgram('pgbouncer', [configFile], { env, ...(account && { account }) })
  await waitUntil('PgBouncer runs', () => isUp(program))

  return {
    pooled: (databaseUrl) => Object.assign(new URL(databaseUrl), { port: String(port) }).href,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

function buildConfig(databases: string, given: Record<string, string>): string {
  const settings = {
    listen_addr: '127.0.0.1',
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    pool_mode: 'transaction',
    default_pool_size: '5',
    max_client_conn: '200',
    ...(canPrepare() && { max_prepared_statements: '0' }),
    ...given,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  return `[databases]\n${databases}\n[pgbouncer]\n${lines.join('')}`
}

/** From 1.21 on it can keep prepared statements; before, it refuses the setting that turns that off. */
function canPrepare(): boolean {
  const [major = 0, minor = 0] = (findVersion() ?? '').split('.').map(Number)
  return major > 1 || minor >= 21
}

function findVersion(): string | undefined {
  const { stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8', env })
  return /^PgBouncer (\d+\.\d+)/m.exec(stdout ?? '')?.[1]
}

/** As root PgBouncer runs as another account, which has to read what we write. */
async function writeOwned(path: string, text: string, account: ServerAccount): Promise<void> {
  await writeFile(path, text, { mode: 0o600 })
  if (account) await chown(path, account.uid, account.gid)
}

function isUp(program: Program): boolean {
  if (program.hasEnded()) throw new Error(`PgBouncer has ended:\n${program.output()}`)
  return program.output().includes('process up')
}
