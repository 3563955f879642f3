export type Alarm = { wake(): void; sleep(ms: number): Promise<void> }

/** Something to sleep on: until the time is over or somebody wakes us, or not at all if somebody did since the last sleep. */
export function createAlarm(): Alarm {
  let rang = false
  let ring = () => {}
  return {
    wake() {
      rang = true
      ring()
    },
    async sleep(ms) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, ms)
      ring = resolve
      if (!rang) await promise
      clearTimeout(timer)
      rang = false
    },
  }
}
