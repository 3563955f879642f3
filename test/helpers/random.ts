/** Numbers from 0 to below 1 that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The items in a random order; the array itself stays as it is. */
export function shuffle<Item>(items: Item[], random: () => number): Item[] {
  const keyed = items.map((item): [number, Item] => [random(), item])
  return keyed.sort(([left], [right]) => left - right).map(([, item]) => item)
}
