import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { type BatcherOptions, createBatcher } from '../../src/platform/batcher.ts'
import { UnavailableError } from '../../src/platform/errors.ts'

type Flush = { items: string[]; resolve(results: string[]): void; reject(error: unknown): void }

/** A batcher of texts whose flushes end when the test says so; a text weighs its length. */
function createControlled(options: Partial<BatcherOptions<string, string>> = {}) {
  const flushes: Flush[] = []
  const batcher = createBatcher<string, string>({
    maxItems: 100,
    maxBytes: 1000,
    timeoutMs: 5000,
    bytesOf: (item) => item.length,
    flush: (items) => new Promise((resolve, reject) => flushes.push({ items, resolve, reject })),
    ...options,
  })
  return { batcher, flushes, flushed: () => flushes.map(({ items }) => items) }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
const resultOf = (item: string) => `${item} done`

async function finish(flush: Flush | undefined): Promise<void> {
  flush?.resolve(flush.items.map(resultOf))
  await nextTurn()
}

describe('createBatcher', () => {
  it('flushes a lone item at once and gives its result', async () => {
    const { batcher, flushes, flushed } = createControlled()

    const added = batcher.add('a')
    await nextTurn()

    expect(flushed()).toEqual([['a']])
    await finish(flushes[0])
    expect(await added).toBe('a done')
  })

  it('flushes items of one turn of the event loop together and gives each its own result', async () => {
    const { batcher, flushes, flushed } = createControlled()

    const added = Promise.all([batcher.add('a'), batcher.add('b'), batcher.add('c')])
    await nextTurn()
    await finish(flushes[0])

    expect(flushed()).toEqual([['a', 'b', 'c']])
    expect(await added).toEqual(['a done', 'b done', 'c done'])
  })

  it('flushes what arrives while a flush runs in the next one, together', async () => {
    const { batcher, flushes, flushed } = createControlled()
    const first = batcher.add('a')
    await nextTurn()

    const later = [batcher.add('b')]
    await nextTurn()
    later.push(batcher.add('c'))
    await nextTurn()

    expect(flushed()).toEqual([['a']])
    await finish(flushes[0])
    expect(flushed()).toEqual([['a'], ['b', 'c']])
    await finish(flushes[1])
    expect(await Promise.all([first, ...later])).toEqual(['a done', 'b done', 'c done'])
  })

  it('never runs two flushes at once', async () => {
    const { batcher, flushes } = createControlled({ maxItems: 1 })
    const added = ['a', 'b', 'c'].map((item) => batcher.add(item))

    const running: number[] = []
    for (const index of [0, 1, 2]) {
      await nextTurn()
      running.push(flushes.length)
      await finish(flushes[index])
    }

    expect(running).toEqual([1, 2, 3])
    expect(await Promise.all(added)).toEqual(['a done', 'b done', 'c done'])
  })

  it('gives nobody a result before the flush has ended', async () => {
    const { batcher, flushes } = createControlled()
    const events: string[] = []

    const added = batcher.add('a').then((result) => void events.push(result))
    for (let turn = 0; turn < 5; turn += 1) await nextTurn()
    events.push('commit')
    await finish(flushes[0])
    await added

    expect(events).toEqual(['commit', 'a done'])
  })

  it('begins anew after it has been idle', async () => {
    const { batcher, flushes, flushed } = createControlled()
    const first = batcher.add('a')
    await nextTurn()
    await finish(flushes[0])
    await first

    const second = batcher.add('b')
    await nextTurn()
    await finish(flushes[1])

    expect(flushed()).toEqual([['a'], ['b']])
    expect(await second).toBe('b done')
  })
})

describe('the size of a batch', () => {
  it.each([
    ['maxItems', { maxItems: 2 }, ['a', 'b', 'c', 'd', 'e'], [['a', 'b'], ['c', 'd'], ['e']]],
    ['maxBytes', { maxBytes: 5 }, ['aaa', 'bb', 'c', 'dddd', 'ee'], [['aaa', 'bb'], ['c', 'dddd'], ['ee']]],
    ['maxBytes, but an item over it goes alone', { maxBytes: 5 }, ['a', 'bbbbbbbbb', 'c'], [['a'], ['bbbbbbbbb'], ['c']]],
  ])('is bounded by %s, in the order of arrival', async (_, options, items, batches) => {
    const { batcher, flushes, flushed } = createControlled(options)

    const added = items.map((item) => batcher.add(item))
    await nextTurn()
    for (const index of batches.keys()) await finish(flushes[index])

    expect(flushed()).toEqual(batches)
    expect(await Promise.all(added)).toEqual(items.map(resultOf))
  })
})

describe('a flush that fails', () => {
  it('refuses all its items with its error, and the next flush runs', async () => {
    const { batcher, flushes, flushed } = createControlled()
    const failing = Promise.allSettled([batcher.add('a'), batcher.add('b')])
    await nextTurn()
    const next = batcher.add('c')

    flushes[0]?.reject(new Error('connection lost'))
    await nextTurn()
    await finish(flushes[1])

    expect(await failing).toEqual([
      { status: 'rejected', reason: new Error('connection lost') },
      { status: 'rejected', reason: new Error('connection lost') },
    ])
    expect(flushed()).toEqual([['a', 'b'], ['c']])
    expect(await next).toBe('c done')
  })

  it('refuses its items when it throws before it has begun', async () => {
    const { batcher } = createControlled({
      flush: () => {
        throw new Error('no pool')
      },
    })

    await expect(batcher.add('a')).rejects.toThrow('no pool')
    await expect(batcher.add('b')).rejects.toThrow('no pool')
  })
})

describe('an item that waits too long', () => {
  afterEach(() => {
    jest.useRealTimers()
  })

  function createTimed(options: Partial<BatcherOptions<string, string>> = {}) {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
    return createControlled({ timeoutMs: 1000, ...options })
  }

  const refusalOf = (added: Promise<string>) =>
    added.then(
      (result) => result,
      (error: UnavailableError) => [error.status, error.code],
    )

  it('is refused with 503 commit_timeout and never flushed when it still gathers', async () => {
    const { batcher, flushes, flushed } = createTimed()
    const first = refusalOf(batcher.add('a'))
    await nextTurn()
    const second = refusalOf(batcher.add('b'))

    jest.advanceTimersByTime(1000)
    await finish(flushes[0])

    expect(await Promise.all([first, second])).toEqual([
      [503, 'commit_timeout'],
      [503, 'commit_timeout'],
    ])
    expect(flushed()).toEqual([['a']])
  })

  it('does not take its neighbour with it', async () => {
    const { batcher, flushes, flushed } = createTimed()
    const first = refusalOf(batcher.add('a'))
    await nextTurn()
    const late = refusalOf(batcher.add('b'))
    jest.advanceTimersByTime(600)
    const young = refusalOf(batcher.add('c'))

    jest.advanceTimersByTime(400)
    await finish(flushes[0])
    await finish(flushes[1])

    expect(await Promise.all([first, late, young])).toEqual([[503, 'commit_timeout'], [503, 'commit_timeout'], 'c done'])
    expect(flushed()).toEqual([['a'], ['c']])
  })

  it('is not refused one millisecond before the limit', async () => {
    const { batcher, flushes } = createTimed()
    const added = refusalOf(batcher.add('a'))
    await nextTurn()

    jest.advanceTimersByTime(999)
    await finish(flushes[0])

    expect(await added).toBe('a done')
  })

  it('leaves no timer behind when it was flushed or its flush failed', async () => {
    const { batcher, flushes } = createTimed()
    const first = batcher.add('a')
    await nextTurn()
    await finish(flushes[0])
    const second = refusalOf(batcher.add('b'))
    await nextTurn()
    flushes[1]?.reject(new UnavailableError('gone'))

    await Promise.all([first, second])
    await nextTurn()

    expect(jest.getTimerCount()).toBe(0)
  })

  it('lets the batcher go on when all that gathered has timed out', async () => {
    const { batcher, flushes, flushed } = createTimed()
    const expired = refusalOf(batcher.add('a'))
    jest.advanceTimersByTime(1000)
    await nextTurn()

    const added = batcher.add('b')
    await nextTurn()
    await finish(flushes[0])

    expect(await expired).toEqual([503, 'commit_timeout'])
    expect(await added).toBe('b done')
    expect(flushed()).toEqual([['b']])
  })
})

describe('stop', () => {
  it('refuses new items with 503 and a Retry-After', async () => {
    const { batcher, flushed } = createControlled()
    await batcher.stop()

    const refused = await batcher.add('a').catch((error: unknown) => error)

    expect(refused).toBeInstanceOf(UnavailableError)
    expect(refused).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } })
    expect(flushed()).toEqual([])
  })

  it('waits for what runs and what gathers, and flushes both', async () => {
    const { batcher, flushes } = createControlled()
    const events: string[] = []
    const note = (event: string) => () => void events.push(event)
    const added = [batcher.add('a').then(note('a'))]
    await nextTurn()
    added.push(batcher.add('b').then(note('b')))

    const stopping = batcher.stop().then(note('stopped'))
    await finish(flushes[0])
    await finish(flushes[1])
    await Promise.all([...added, stopping])

    expect(events).toEqual(['a', 'b', 'stopped'])
  })

  it('ends although the last flush fails', async () => {
    const { batcher, flushes } = createControlled()
    const added = batcher.add('a').catch((error: Error) => error.message)
    await nextTurn()

    const stopping = batcher.stop()
    flushes[0]?.reject(new Error('connection lost'))

    await expect(stopping).resolves.toBeUndefined()
    expect(await added).toBe('connection lost')
  })
})
