const FIRST_MS = 1000
const LONGEST_MS = 15 * 60_000

/**
 * Doubled with each attempt, and of that between half and all at random, so that many that failed together do not come
 * back together. At most (s): 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, …
 */
export function retryDelayMs(attempt: number, random: () => number = Math.random): number {
  const longest = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS)
  return Math.round(longest * (0.5 + random() / 2))
}
