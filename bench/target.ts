import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Cleanup } from './cleanup.ts'

/** What is measured: a program of its own, so that it shares no event loop with the load generator. */
export type Target = {
  name: string
  title: string
  script: string
  args: string[]
  env: Record<string, string>
  /** Counts what is stored: events, their jobs, the bytes of their bodies. Absent where nothing is. */
  storedSql?: string
}

export type StartOptions = { folder: string; cleanup: Cleanup; databaseUrl: string; cpuProfileFolder?: string }
export type RunningTarget = { url: string; stop(): Promise<void> }

const START_LIMIT_MS = 20_000
const STOP_LIMIT_MS = 20_000

export async function startTarget(
  target: Target,
  { folder, cleanup, databaseUrl, cpuProfileFolder }: StartOptions,
): Promise<RunningTarget> {
  const port = await findFreePort()
  const profiling = cpuProfileFolder
    ? ['--cpu-prof', `--cpu-prof-dir=${cpuProfileFolder}`, `--cpu-prof-name=${target.name}-${port}.cpuprofile`]
    : []
  const child = spawn(process.execPath, [...profiling, target.script, ...target.args], {
    // Neither the caller's environment nor an .env file beside the checkout may change what is measured.
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), DATABASE_URL: databaseUrl, ...target.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let isStopping = false
  const stop = cleanup.add(() => {
    isStopping = true
    return stopChild(child)
  })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-4000)
  })
  await waitForListener({ port, child, describe: () => `${target.name} did not start.\n${complaint}` })
  child.once('exit', (code, signal) => {
    if (!isStopping) process.stderr.write(`\n${target.name} ended by itself: ${signal ?? code}\n${complaint}`)
  })
  return { url: `http://127.0.0.1:${port}`, stop }
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
  await exited
  clearTimeout(timer)
}

async function waitForListener({ port, child, describe }: { port: number; child: ChildProcess; describe(): string }): Promise<void> {
  for (const deadline = performance.now() + START_LIMIT_MS; performance.now() < deadline; ) {
    if (child.exitCode !== null) break
    if (await isListening(port)) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(describe())
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
