import { createHash } from 'node:crypto'
import type { EventAnswer } from '../api/event-schema.ts'
import type { Config } from '../config.ts'
import { localFile, readLocalFile } from '../local-mode.ts'
import { StartError } from '../platform/errors.ts'
import { signStripe } from '../providers/stripe/sign-stripe.ts'
import { type ApiClient, createApiClient, request } from './api-client.ts'
import { buildSample, randomId, SAMPLES } from './sample-events.ts'
import { printEvent, printOrder } from './show.ts'

type SendOptions = { list?: boolean; order?: string; amount: string; currency: string; payment?: string; id?: string }
type Answer = { status?: string; code?: string; detail?: string; event_id: string; message_id: string }

const PROCESSING_WAIT_MS = 15_000

/** Returns the exit code. */
export async function send(config: Config, type: string | undefined, options: SendOptions): Promise<number> {
  if (options.list || type === undefined) return printList()
  const sample = SAMPLES[type]
  if (!sample) throw new Error(`There is no sample of ${type}. npm run send -- --list shows what there is.`)
  if (!/^\d{1,12}$/.test(options.amount)) throw new Error('--amount is a whole number of minor units: 2000 is 20.00 USD.')

  const secret = await findSecret(config)
  const client = await createApiClient(config)
  const createdSeconds = Math.floor(Date.now() / 1000)
  const body = buildSample(type, sample, {
    ...(options.order !== undefined && { orderId: options.order }),
    ...(options.id !== undefined && { eventId: options.id }),
    amountMinor: Number(options.amount),
    currency: options.currency,
    paymentId: options.payment ?? paymentOfOrder(options.order),
    createdSeconds,
  })
  const url = `${client.address}/webhooks/stripe`
  const response = await request(url, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': signStripe(body, secret, createdSeconds) },
  })
  const answer = (await response.json()) as Answer
  process.stdout.write(`POST ${url}\n${response.status} ${answer.code ?? answer.status}${answer.detail ? `: ${answer.detail}` : ''}\n\n`)
  return response.ok ? showOutcome(client, answer.message_id) : 1
}

async function showOutcome(client: ApiClient, messageId: string): Promise<number> {
  const event = await waitUntilProcessed(client, messageId)
  printEvent(event)
  for (const orderId of event.order_ids) {
    const order = await client.findOrder(orderId)
    if (order) printOrder(order)
  }
  return event.status === 'received' || event.status === 'dead' ? 1 : 0
}

/** The event once it has its end, or as it stands after 15 s. */
export async function waitUntilProcessed(client: ApiClient, messageId: string): Promise<EventAnswer> {
  let failed = 0
  for (const deadline = Date.now() + PROCESSING_WAIT_MS; ; ) {
    const event = await client.findEvent(messageId)
    if (!event) throw new Error(`The API does not know ${messageId}. If it listens on another port than the webhooks, set OPERATOR_PORT.`)
    if (event.status !== 'received' || Date.now() > deadline) return event
    for (const { attempt, error } of event.attempts.slice(failed)) process.stdout.write(`Attempt ${attempt} failed: ${error}\n`)
    failed = event.attempts.length
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The same order has the same payment at every call, so that a refund finds what it refunds. */
function paymentOfOrder(orderId: string | undefined): string {
  return orderId === undefined ? randomId('pi') : `pi_${createHash('sha256').update(orderId).digest('hex').slice(0, 24)}`
}

async function findSecret(config: Config): Promise<string> {
  const secret = config.stripe.secrets[0]?.secret ?? (await readLocalFile(config, 'stripeSecret'))
  if (!secret)
    throw new StartError([`STRIPE_WEBHOOK_SECRETS: needed to sign (or ${localFile(config, 'stripeSecret')}, which npm start makes)`])
  return secret
}

function printList(): number {
  const width = Math.max(...Object.keys(SAMPLES).map((name) => name.length))
  for (const [name, { about }] of Object.entries(SAMPLES)) process.stdout.write(`  ${name.padEnd(width)}  ${about}\n`)
  process.stdout.write('\nSend one: npm run send -- payment.succeeded --order ord_1001\n')
  return 0
}
