import { UnavailableError } from './errors.ts'

export type BatcherOptions<Item, Result> = {
  maxItems: number
  maxBytes: number
  /** How long an item waits for its result before it is refused, in milliseconds. */
  timeoutMs: number
  bytesOf(item: Item): number
  /** Results in the order of the items; an Error among them refuses its item, a rejection refuses all of them. */
  flush(items: Item[]): Promise<(Result | Error)[]>
}

export type Batcher<Item, Result> = {
  add(item: Item): Promise<Result>
  /** Refuses new items and waits for those that were accepted. */
  stop(): Promise<void>
}

type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: unknown): void; timer: NodeJS.Timeout }

/**
 * Group commit: while one flush runs, items gather for the next. A lone item waits for nobody.
 * An item that times out while it still gathers is never flushed; one whose flush already runs is
 * refused although the flush may yet succeed, so the caller must be able to send it again.
 */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const gathering: Waiting<Item, Result>[] = []
  let running: Promise<void> | undefined
  let stopped = false

  async function run(): Promise<void> {
    // Lets the deliveries of one turn of the event loop share the first batch.
    await new Promise(setImmediate)
    while (gathering.length > 0) await flushOnce(takeBatch(gathering, options), options)
    running = undefined
  }

  return {
    add(item) {
      if (stopped) return Promise.reject(new UnavailableError('Shutting down. Send it again.'))
      return new Promise((resolve, reject) => {
        const waiting = { item, resolve, reject, timer: setTimeout(() => expire(waiting), options.timeoutMs) }
        gathering.push(waiting)
        running ??= run()
      })
    },
    async stop() {
      stopped = true
      await running
    },
  }

  function expire(waiting: Waiting<Item, Result>): void {
    const index = gathering.indexOf(waiting)
    if (index >= 0) gathering.splice(index, 1)
    waiting.reject(new UnavailableError('Could not commit in time. Send it again.', { code: 'commit_timeout' }))
  }
}

function takeBatch<Item, Result>(gathering: Waiting<Item, Result>[], options: BatcherOptions<Item, Result>): Waiting<Item, Result>[] {
  let bytes = 0
  let count = 0
  for (const { item } of gathering) {
    bytes += options.bytesOf(item)
    if (count > 0 && (count === options.maxItems || bytes > options.maxBytes)) break
    count += 1
  }
  return gathering.splice(0, count)
}

async function flushOnce<Item, Result>(batch: Waiting<Item, Result>[], options: BatcherOptions<Item, Result>): Promise<void> {
  try {
    const results = await options.flush(batch.map(({ item }) => item))
    for (const [index, waiting] of batch.entries()) {
      const result = results[index] as Result | Error
      if (result instanceof Error) waiting.reject(result)
      else waiting.resolve(result)
    }
  } catch (error) {
    for (const waiting of batch) waiting.reject(error)
  } finally {
    for (const waiting of batch) clearTimeout(waiting.timer)
  }
}
