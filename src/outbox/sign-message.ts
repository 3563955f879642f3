import { createHmac } from 'node:crypto'

export type SignedContent = { messageId: string; timestampSeconds: number; body: string }

/** By the rules of https://www.standardwebhooks.com: one signature for each key, separated by spaces. */
export function signMessage({ messageId, timestampSeconds, body }: SignedContent, keys: Buffer[]): string {
  return keys.map((key) => `v1,${createHmac('sha256', key).update(`${messageId}.${timestampSeconds}.${body}`).digest('base64')}`).join(' ')
}
