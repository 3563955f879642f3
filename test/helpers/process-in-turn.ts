import { expect } from '@jest/globals'
import { type Json, waitForEvent } from './api.ts'
import { deliver } from './signed-webhook.ts'

/** Delivers events one after the other, so that the next one is surely processed after it; returns the last one's end. */
export async function processInTurn(url: string, events: { id: string }[]): Promise<Json> {
  let processed: Json
  for (const event of events) {
    expect((await deliver(url, event)).status).toBe(202)
    processed = await waitForEvent(url, event.id)
  }
  return processed
}
