import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { styleText } from 'node:util'
import type { Config } from '../config.ts'
import { createContext, migrate } from '../context.ts'
import { type Gateway, startGateway } from '../gateway.ts'
import { type LocalMode, startLocalMode } from '../local-mode.ts'
import { formatMoney } from '../orders/format-money.ts'
import { signStripe } from '../providers/stripe/sign-stripe.ts'
import { type ApiClient, createApiClient, request } from './api-client.ts'
import { buildDemoStory, type DemoStep } from './demo-story.ts'
import { waitUntilProcessed } from './send.ts'

type Demo = { local: LocalMode; gateway: Gateway; client: ApiClient; secret: string }
type Answer = { status?: string; code?: string; message_id?: string }

/** Plays a story on a fresh database, which is removed at the end. */
export async function demo(given: Config): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-demo-'))
  const { publicUrl: _, ...http } = given.http
  const local = await startLocalMode(
    {
      ...given,
      dataDir,
      http: { ...http, port: 0 },
      stripe: { ...given.stripe, secrets: [] },
      tokens: [],
      // It is only a story: nobody is told.
      orderWebhooks: { ...given.orderWebhooks, urls: [] },
    },
    progress,
  )
  let gateway: Gateway | undefined
  try {
    progress('Starting the gateway')
    gateway = await openGateway(local)
    await play(await openDemo(local, gateway))
  } finally {
    await gateway?.stop()
    await local.embedded.destroy()
  }
}

async function openGateway({ config }: LocalMode): Promise<Gateway> {
  await migrate(config)
  const silent = { debug() {}, info() {}, warn() {}, error() {} }
  return startGateway(await createContext(config, { logger: silent }))
}

async function openDemo(local: LocalMode, gateway: Gateway): Promise<Demo> {
  const { operatorToken: _, ...config } = local.config
  const client = await createApiClient({ ...config, http: { ...config.http, port: gateway.port } })
  return { local, gateway, client, secret: (local.config.stripe.secrets[0] as { secret: string }).secret }
}

async function play(demo: Demo): Promise<void> {
  const story = buildDemoStory(Math.floor(Date.now() / 1000))
  print('')
  for (const [index, step] of story.entries()) {
    const answer = await deliver(demo, step)
    print(styleText('bold', `${String(index + 1).padStart(2)}. ${step.title}`))
    print(`    sent      ${(JSON.parse(step.body) as { type: string }).type}${step.forged ? ', signed with another secret' : ''}`)
    print(`    answered  ${describeAnswer(answer)}`)
    if (answer.body.message_id) print(`    event     ${await describeEvent(demo.client, answer.body.message_id)}`)
    if (step.orderId) print(`    order     ${await describeOrder(demo.client, step.orderId)}`)
    print('')
  }
  print(`Each event was stored once, the forgery was not. Your turn: ${styleText('bold', 'npm start')}`)
}

async function deliver({ client, secret }: Demo, { body, forged }: DemoStep): Promise<{ status: number; body: Answer }> {
  const signature = signStripe(body, forged ? 'whsec_somebody_else' : secret, Math.floor(Date.now() / 1000))
  const response = await request(`${client.address}/webhooks/stripe`, { method: 'POST', body, headers: { 'Stripe-Signature': signature } })
  return { status: response.status, body: (await response.json()) as Answer }
}

function describeAnswer({ status, body }: { status: number; body: Answer }): string {
  return styleText(status < 300 ? 'green' : 'red', `${status} ${body.code ?? body.status}`)
}

async function describeEvent(client: ApiClient, messageId: string): Promise<string> {
  const event = await waitUntilProcessed(client, messageId)
  const duplicates = event.duplicate_count === 0 ? '' : `, delivered ${event.duplicate_count + 1} times`
  return `${event.status}${event.reason ? ` (${event.reason})` : ''}${duplicates}`
}

async function describeOrder(client: ApiClient, orderId: string): Promise<string> {
  const order = await client.findOrder(orderId)
  if (!order) return `${orderId} is not there`
  const amounts = `received ${formatMoney(order.paid_minor, order.currency)}, refunded ${formatMoney(order.refunded_minor, order.currency)}`
  return `${orderId} ${styleText('cyan', order.status)}: ${amounts}`
}

function progress(step: string): void {
  process.stderr.write(`${styleText('dim', `${step} …`, { stream: process.stderr })}\n`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
