import { randomFillSync } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'

const BYTES_PER_ID = 16

/**
 * Makes ids that sort by time (UUID version 7). Random bytes are drawn for many ids at once: drawing them one by one
 * costs more than all the rest of it.
 */
export function createMessageIds(): (time: Date) => string {
  const pool = new Uint8Array(BYTES_PER_ID * 256)
  let used = pool.length
  return (time) => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    used += BYTES_PER_ID
    return uuidv7({ msecs: time.getTime(), random: pool.subarray(used - BYTES_PER_ID, used) })
  }
}

/** The smallest id of that millisecond, for looking up ranges of time. */
export function firstMessageIdAt(time: Date): string {
  // There was no event before 1970.
  return uuidv7({ msecs: Math.max(0, time.getTime()), seq: 0, random: new Uint8Array(BYTES_PER_ID) })
}
