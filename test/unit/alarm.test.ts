import { describe, expect, it } from '@jest/globals'
import { createAlarm } from '../../src/platform/alarm.ts'

describe('an alarm', () => {
  it('ends a sleep when it rings', async () => {
    const alarm = createAlarm()
    const sleep = alarm.sleep(1_000_000)

    alarm.wake()

    await sleep
  })

  it('is not missed when it rang before the sleep, and rings once', async () => {
    const alarm = createAlarm()
    alarm.wake()
    await alarm.sleep(1_000_000)

    const isAsleep = await Promise.race([alarm.sleep(1_000_000).then(() => false), new Promise((resolve) => setImmediate(resolve, true))])

    alarm.wake()
    expect(isAsleep).toBe(true)
  })

  it('ends a sleep by itself in time', async () => {
    await createAlarm().sleep(1)
  })
})
