import { presentTime } from '../platform/paging.ts'

const number = new Intl.NumberFormat('en')

export function formatCount(count: number): string {
  return number.format(count)
}

/** As it stands in the page until the browser shows it in the reader's own zone. */
export function formatTime(time: Date | string): string {
  const text = typeof time === 'string' ? time : presentTime(time)
  return `${text?.slice(0, 10)} ${text?.slice(11, 19)} UTC`
}

const UNITS = [
  { seconds: 86_400, name: 'd' },
  { seconds: 3600, name: 'h' },
  { seconds: 60, name: 'min' },
]

/** `7 ms`, `1.2 s`, `3 min 20 s`, `2 d 4 h`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`
  const parts: string[] = []
  let rest = seconds
  for (const { seconds: size, name } of [...UNITS, { seconds: 1, name: 's' }]) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0 || parts.length > 0) parts.push(`${count} ${name}`)
  }
  return parts
    .slice(0, 2)
    .filter((part) => !part.startsWith('0 '))
    .join(' ')
}
