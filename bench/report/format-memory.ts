import type { Growth, MemoryResult } from '../memory.ts'
import { table, whole } from './table.ts'

export function formatMemory({ events, chunkEvents, seconds, samples, rss, heap }: MemoryResult): string[] {
  const at = (part: number, field: 'rssMb' | 'heapMb') =>
    `${samples.find((sample) => sample.events >= events * part)?.[field].toFixed(0)} MB`
  const row = (name: string, field: 'rssMb' | 'heapMb', { mbPer100kEvents, percent }: Growth) => [
    name,
    ...[0.1, 0.5, 1].map((part) => at(part, field)),
    `${mbPer100kEvents.toFixed(1)} MB`,
    `${percent.toFixed(1)} %`,
  ]
  return [
    `Memory: ${whole(events)} events in ${whole(seconds)} s, in chunks of ${whole(chunkEvents)}, the next when the worker had done the last; growth over the second half`,
    ...table([
      ['of the gateway', 'at 10 %', 'at 50 %', 'at 100 %', 'growth for 100,000', 'in all'],
      row('RSS', 'rssMb', rss),
      row('heap in use', 'heapMb', heap),
    ]),
  ]
}
