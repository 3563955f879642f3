import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { waitUntil } from './wait-until.ts'

/** The checkout that is tested. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Node's arguments up to our command, from whatever folder it is run in. */
const MAIN = ['--import', join(ROOT, 'prisma/generate.ts'), join(ROOT, 'src/main.ts')]

export type Program = {
  pid: number
  /** Everything it has printed so far. */
  output(): string
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>
  hasEnded(): boolean
  signal(signal: NodeJS.Signals): void
  /** Ends it, and whatever it started in its process group. */
  [Symbol.asyncDispose](): Promise<void>
}

export type ProgramOptions = {
  env?: Record<string, string>
  cwd?: string /** Who runs it, where that is not us. */
  account?: { uid: number; gid: number }
}

/** A program in a process group of its own, with none of our environment but what finds programs. */
export function runProgram(command: string, args: string[], { env = {}, cwd = tmpdir(), account }: ProgramOptions = {}): Program {
  const { PATH = '', HOME = '', TMPDIR } = process.env
  const child = spawn(command, args, {
    cwd,
    detached: true,
    ...account,
    env: { PATH, HOME, ...(TMPDIR && { TMPDIR }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = waitForEnd(child)
  return {
    pid: child.pid ?? 0,
    output: () => Buffer.concat(chunks).toString(),
    ended,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    signal: (signal) => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      killGroup(child)
      await ended
    },
  }
}

/** Our command line, in a folder without an .env file. */
export function runSluice(args: string[], options: ProgramOptions = {}): Program {
  return runProgram(process.execPath, [...MAIN, ...args], options)
}

function waitForEnd(child: ChildProcess): Promise<number | NodeJS.Signals> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? signal ?? 1))
  })
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export type GatewayProcess = Program & { url: string; nodePid: number }

/** A first start makes a database, which a busy disk can draw out. */
const START_LIMIT_MS = 90_000

/** Waits until the gateway that this program runs has said that it is ready; ends the program when it does not. */
export async function waitForGateway(program: Program): Promise<GatewayProcess> {
  try {
    const { port, pid } = await waitUntil('the gateway is ready', () => findStarted(program), START_LIMIT_MS)
    return { ...program, url: `http://127.0.0.1:${port}`, nodePid: pid }
  } catch (error) {
    await program[Symbol.asyncDispose]()
    throw new Error(`The gateway did not start. It said:\n${program.output()}`, { cause: error })
  }
}

function findStarted(program: Program): { port: number; pid: number } | undefined {
  const found = /^\{.*"event":"gateway\.started".*$/m.exec(program.output())
  if (!found && program.hasEnded()) throw new Error('It has ended')
  return found ? JSON.parse(found[0]) : undefined
}

export async function createFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'sluice-e2e-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Makes the folder a checkout of this project in which no developer's .env file lies. */
export async function linkCheckout(folder: string): Promise<void> {
  for (const name of ['package.json', 'node_modules', 'prisma', 'src']) await symlink(join(ROOT, name), join(folder, name))
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
