import type { WebhookEvent } from '../generated/prisma/client.ts'
import { formatDuration } from './format.ts'
import { texts } from './texts.ts'

/** `Processed 1.2 s after it arrived: it names no order.` */
export function summarizeEvent({ status, reason, receivedAt, processedAt }: WebhookEvent): string {
  const name = texts.status[status] ?? status
  const after = processedAt ? ` ${formatDuration(processedAt.getTime() - receivedAt.getTime())} after it arrived` : ''
  return `${name}${after}${reason ? `: ${nameReason(reason)}` : ''}.`
}

export function nameReason(reason: string): string {
  return texts.reason[reason] ?? reason.replaceAll('_', ' ')
}
