import type { EventAnswer } from '../api/event-schema.ts'
import type { OrderAnswer } from '../api/order-schema.ts'
import type { Config } from '../config.ts'
import { formatMoney } from '../orders/format-money.ts'
import { escapeControls } from '../platform/logger.ts'
import { createApiClient } from './api-client.ts'

/** Prints an event's story for support; returns the exit code. */
export async function show(config: Config, id: string): Promise<number> {
  const client = await createApiClient(config)
  const event = await client.findEvent(id)
  if (!event) {
    process.stderr.write(`No event has the id ${escapeControls(id)}. Use the evt_… of the provider or our message_id.\n`)
    return 1
  }
  printEvent(event)
  for (const orderId of event.order_ids) {
    const order = await client.findOrder(orderId)
    if (order) printOrder(order)
  }
  return 0
}

export function printEvent(event: EventAnswer): void {
  print(`Event ${event.event_id}  ${event.type}`, [
    ['status', statusInWords(event)],
    ['occurred', event.occurred_at],
    ['received', event.received_at],
    ['processed', event.processed_at],
    ['duplicates', event.duplicate_count > 0 ? `${event.duplicate_count}, the last at ${event.last_duplicate_at}` : 'none'],
    ...event.attempts.map(
      ({ attempt, outcome, finished_at, error }): Field => [
        `attempt ${attempt}`,
        `${outcome} at ${finished_at}${error ? `: ${error}` : ''}`,
      ],
    ),
    ...event.references.map(({ kind, value }): Field => [kind, value]),
    ['account', event.account],
    ['mode', event.livemode === null ? null : event.livemode ? 'live' : 'test'],
    ['API version', event.api_version],
    ['signed with', event.secret_name],
    ['message id', event.message_id],
    ['correlation', event.correlation_id],
  ])
}

export function printOrder(order: OrderAnswer): void {
  const { currency } = order
  print(`Order ${order.order_id}  ${order.status}`, [
    ['expected', order.expected_minor === null ? 'not registered' : formatMoney(order.expected_minor, currency)],
    ['received', formatMoney(order.paid_minor, currency)],
    ['refunded', order.refunded_minor > 0 ? formatMoney(order.refunded_minor, currency) : null],
    ['flags', order.flags.join(', ') || null],
    ...order.payments.map(
      (payment): Field => ['payment', `${payment.payment_id} ${payment.status} ${formatMoney(payment.amount_minor, payment.currency)}`],
    ),
    ...order.history.map(
      (entry): Field => [entry.at, `${entry.from} → ${entry.to}  ${[entry.fact, entry.event_id, entry.note].filter(Boolean).join(' ')}`],
    ),
  ])
}

function statusInWords({ status, reason, received_at, processed_at }: EventAnswer): string {
  const after = processed_at === null ? '' : ` ${Date.parse(processed_at) - Date.parse(received_at)} ms after it arrived`
  return `${status}${reason ? ` (${reason})` : ''}${after}`
}

type Field = [string, string | null]

function print(title: string, fields: Field[]): void {
  const shown = fields.filter(([, value]) => value !== null)
  const width = Math.max(...shown.map(([name]) => name.length))
  const lines = shown.map(([name, value]) => `  ${name.padEnd(width)}  ${escapeControls(String(value))}`)
  process.stdout.write(`${[escapeControls(title), ...lines].join('\n')}\n\n`)
}
