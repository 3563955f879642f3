import { randomBytes } from 'node:crypto'
import Stripe from 'stripe'
import { SECRET } from './start-test-gateway.ts'

export type EventOverrides = { id?: string; type?: string; created?: number; object?: unknown; [field: string]: unknown }

export function uniqueId(prefix: string): string {
  return `${prefix}_${randomBytes(10).toString('hex')}`
}

/** A Stripe event: a PaymentIntent that succeeded, unless told otherwise. */
export function buildEvent({ object, ...overrides }: EventOverrides = {}) {
  return {
    id: uniqueId('evt'),
    object: 'event',
    api_version: '2026-10-28.endive',
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: 'payment_intent.succeeded',
    ...overrides,
    data: { object: object === undefined ? buildIntent() : object },
  }
}

export function buildIntent(overrides: Record<string, unknown> = {}) {
  return {
    id: uniqueId('pi'),
    object: 'payment_intent',
    amount: 2000,
    amount_received: 2000,
    currency: 'usd',
    status: 'succeeded',
    metadata: {},
    ...overrides,
  }
}

export type SignOptions = { secret?: string; timestamp?: number }

export function sign(body: string, { secret = SECRET, timestamp = Math.floor(Date.now() / 1000) }: SignOptions = {}): string {
  return Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp })
}

export type Answer = { status: number; headers: Headers; body: Record<string, unknown> }

/** Sends an event as Stripe does: really signed, over real HTTP. */
export async function deliver(url: string, event: object | string, options: SignOptions = {}): Promise<Answer> {
  const body = typeof event === 'string' ? event : JSON.stringify(event, null, 2)
  return post(url, body, { 'Stripe-Signature': sign(body, options) })
}

export async function post(url: string, body: string | Uint8Array, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(`${url}/webhooks/stripe`, {
    method: 'POST',
    body: body as RequestInit['body'] & {},
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
}
