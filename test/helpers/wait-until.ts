/** Polls until the condition gives something truthy, and returns it; fails with `what` after the limit. */
export async function waitUntil<Value>(
  what: string,
  condition: () => Promise<Value> | Value,
  limitMs = 60_000,
): Promise<NonNullable<Value>> {
  for (const deadline = Date.now() + limitMs; ; ) {
    const value = await condition()
    if (value) return value
    if (Date.now() > deadline) throw new Error(`Waited ${limitMs} ms in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
