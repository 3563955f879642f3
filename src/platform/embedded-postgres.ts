import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { StartError } from './errors.ts'
import { installPostgres, type ServerAccount, serverAccount } from './postgres-binaries.ts'

export type EmbeddedPostgresOptions = {
  dataDir: string
  /** Turns off what protects against a power cut; for tests. */
  durable?: boolean
  onProgress?(step: string): void
}

export type EmbeddedPostgres = {
  url: string
  /** Stops the server and leaves the data. */
  stop(): Promise<void>
  /** Stops the server and removes the data. */
  destroy(): Promise<void>
}

/** Kept in the data folder: where the server lives, the port it had, its password. */
type Placement = { home: string; port: number; password: string }

/**
 * A real PostgreSQL for a laptop and for tests. It listens on loopback only, with a random password kept in
 * `dataDir` (mode 0700). It outlives a `kill -9` of this process: the next start finds it and goes on with it.
 * One process at a time may hold a data folder; a second one is refused.
 */
export async function startEmbeddedPostgres(given: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const options = { ...given, dataDir: resolve(given.dataDir) }
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 })
  const account = serverAccount()
  const server = { account, ...(await findOrCreate(options, account)) }
  const owner = await connectAsOwner(server, options)
  await takeOwnership(owner, options.dataDir)

  async function stop(): Promise<void> {
    // The lock goes last, or the next owner would have the server stopped under it.
    pgCtl(server, ['stop', '-m', 'fast', '-w'])
    await owner.end().catch(() => {})
  }
  return {
    url: connectionString(server),
    stop,
    async destroy() {
      await stop()
      await rm(server.home, { recursive: true, force: true })
      await rm(options.dataDir, { recursive: true, force: true })
    },
  }
}

type Server = Placement & { account: ServerAccount }

async function findOrCreate(options: EmbeddedPostgresOptions, account: ServerAccount): Promise<Placement> {
  const note = join(options.dataDir, 'postgres.json')
  const known = await readFile(note, 'utf8').then(
    (text) => JSON.parse(text) as Placement,
    () => undefined,
  )
  if (known) {
    const version = await readFile(join(known.home, 'data', 'PG_VERSION')).catch(() => undefined)
    if (version) return known
    throw new StartError([
      `${note} names ${known.home} as the place of the data, and no database is there. Restore that folder, or remove ${note} to begin with an empty database.`,
    ])
  }
  options.onProgress?.('Making the embedded PostgreSQL (once)')
  const placement = { home: await chooseHome(options.dataDir, account), port: 0, password: randomBytes(24).toString('hex') }
  await initialize({ ...placement, account })
  await saveNote(options.dataDir, placement)
  return placement
}

/**
 * As root the server runs as another account, which can enter neither a data folder of mode 0700 nor a checkout
 * in root's home. /var/lib is where every account can go and nothing is swept; a temporary folder is second best.
 */
async function chooseHome(dataDir: string, account: ServerAccount): Promise<string> {
  if (!account) {
    const home = join(dataDir, 'postgres')
    await rm(home, { recursive: true, force: true })
    await mkdir(home, { mode: 0o700 })
    return home
  }
  const bases = dataDir.startsWith(tmpdir()) ? [tmpdir()] : ['/var/lib', tmpdir()]
  for (const base of bases) {
    if (spawnSync('test', ['-x', base], account).status !== 0) continue
    const home = await mkdtemp(join(base, 'sluice-postgres-'))
    await chown(home, account.uid, account.gid)
    return home
  }
  throw new StartError([
    `No folder that the account nobody can enter was found for the embedded PostgreSQL (tried ${bases.join(', ')}). Run as another user than root, or set DATABASE_URL.`,
  ])
}

async function initialize(server: Server): Promise<void> {
  await installPostgres(join(server.home, 'native'))
  const passwordFile = join(server.home, 'password')
  await writeFile(passwordFile, server.password, { mode: 0o600 })
  if (server.account) await chown(passwordFile, server.account.uid, server.account.gid)
  const settings = [
    '--username=sluice',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
    // Syncing a thousand small files one by one takes half a minute on a busy disk.
    ...(process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
  ]
  const result = run(server, 'initdb', [`--pgdata=${join(server.home, 'data')}`, ...settings])
  await rm(passwordFile)
  if (result.status !== 0) throw serverError('could not be made', result)
}

async function startServer(server: Server, options: EmbeddedPostgresOptions): Promise<void> {
  server.port = (await isPortFree(server.port)) ? server.port : await findFreePort()
  await saveNote(options.dataDir, server)
  const log = join(server.home, 'postgres.log')
  const settings = [
    `-p ${server.port}`,
    '-h 127.0.0.1',
    "-c unix_socket_directories=''",
    '-c max_connections=200',
    ...(options.durable === false ? VOLATILE : []),
  ]
  const result = pgCtl(server, ['start', '-w', '-t', '60', '-l', log, '-o', settings.join(' ')])
  if (result.status !== 0) throw serverError(`could not be started; its log is ${log}`, result)
}

const VOLATILE = ['-c fsync=off', '-c full_page_writes=off']

/** A server that was killed a moment ago still counts as running, and one that recovers refuses connections. */
async function connectAsOwner(server: Server, options: EmbeddedPostgresOptions): Promise<pg.Client> {
  for (let attempt = 1; ; attempt += 1) {
    if (!isRunning(server)) await startServer(server, options)
    const client = new pg.Client({ connectionString: connectionString(server), application_name: 'sluice-owner', keepAlive: true })
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      if (attempt === START_ATTEMPTS || !NOT_YET.includes((error as { code?: string }).code ?? '')) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const START_ATTEMPTS = 300
/** Besides the sockets' errors: 57P03 while it starts or recovers. */
const NOT_YET = ['ECONNREFUSED', 'ECONNRESET', '57P03']

/** Holds a lock for as long as this process lives; PostgreSQL frees it when the connection breaks. */
async function takeOwnership(client: pg.Client, dataDir: string): Promise<void> {
  // The connection of a process that was killed a moment ago may still be closing.
  for (let attempt = 0; attempt < 30; attempt += 1) {
    const { rows } = await client.query<{ locked: boolean }>(`select pg_try_advisory_lock(hashtext('sluice-owner')) as locked`)
    if (rows[0]?.locked) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await client.end()
  throw new StartError([`Another Sluice runs on the data folder ${dataDir}. Stop it, or set DATA_DIR and PORT to run a second one.`])
}

function isRunning(server: Server): boolean {
  return pgCtl(server, ['status']).status === 0
}

function pgCtl(server: Server, args: string[]): SpawnSyncReturns<string> {
  return run(server, 'pg_ctl', ['-D', join(server.home, 'data'), '-s', ...args])
}

function run(server: Server, program: string, args: string[]): SpawnSyncReturns<string> {
  const environment = { PATH: process.env.PATH, LANG: 'C', TZ: 'UTC' }
  // A server that inherits our output keeps the pipe open after we are gone, so it gets none.
  const stdio: ['ignore', 'ignore' | 'pipe', 'ignore' | 'pipe'] = args.includes('start')
    ? ['ignore', 'ignore', 'ignore']
    : ['ignore', 'pipe', 'pipe']
  return spawnSync(join(server.home, 'native', 'bin', program), args, {
    encoding: 'utf8',
    cwd: '/',
    env: environment,
    stdio,
    ...server.account,
  })
}

function connectionString(server: Placement): string {
  return `postgresql://sluice:${server.password}@127.0.0.1:${server.port}/postgres`
}

async function saveNote(dataDir: string, { home, port, password }: Placement): Promise<void> {
  const note = join(dataDir, 'postgres.json')
  await writeFile(note, `${JSON.stringify({ home, port, password }, null, 2)}\n`, { mode: 0o600 })
  await chmod(note, 0o600)
}

function serverError(what: string, result: SpawnSyncReturns<string>): StartError {
  const output = [result.error?.message, result.stderr, result.stdout].filter(Boolean).join('\n').trim()
  return new StartError([`The embedded PostgreSQL ${what}.${output ? ` It said: ${output}` : ''}`])
}

async function isPortFree(port: number): Promise<boolean> {
  return port > 0 && (await listenOnce(port)) !== undefined
}

async function findFreePort(): Promise<number> {
  return (await listenOnce(0)) as number
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(undefined))
    probe.listen(port, '127.0.0.1', () => {
      const { port: bound } = probe.address() as { port: number }
      probe.close(() => resolve(bound))
    })
  })
}
