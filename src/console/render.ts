import { fileURLToPath } from 'node:url'
import { Eta } from 'eta'
import type { Response } from 'express'
import { formatMoney } from '../orders/format-money.ts'
import { formatCount, formatDuration, formatTime } from './format.ts'
import { texts } from './texts.ts'

const VIEWS = fileURLToPath(new URL('./views', import.meta.url))

const NAV: [keyof typeof texts.nav, string][] = [
  ['events', '/console/events'],
  ['orders', '/console/orders'],
  ['payments', '/console/payments'],
  ['parked', '/console/events?status=parked'],
  ['dead', '/console/events?status=dead'],
  ['messages', '/console/messages'],
  ['health', '/console/health'],
  ['audit', '/console/audit'],
]

type View = { title: string } & Record<string, unknown>
export type Render = (response: Response, view: string, data: View, status?: number) => void

/** Every value that a view writes is escaped; only `layout` and `include` write markup as it is. */
export function createRender(): Render {
  const eta = new Eta({ views: VIEWS, cache: true, autoEscape: true, autoTrim: false })
  const f = { money: formatMoney, count: formatCount, duration: formatDuration, time: formatTime }
  return (response, view, data, status = 200) => {
    const { caller, correlationId } = response.locals
    const { path, originalUrl } = response.req
    const known = {
      t: texts,
      f,
      caller,
      correlationId,
      path,
      nav: NAV,
      current: findCurrent(originalUrl),
      canAct: caller?.role === 'operator',
    }
    response.status(status).type('html')
    response.send(eta.render(`./${view}`, { ...data, ...known }))
  }
}

/** The entry of the navigation under which an address stands: the longest that it begins with. */
function findCurrent(url: string): string | undefined {
  const fitting = NAV.filter(([, address]) => url.startsWith(address))
  return fitting.sort(([, left], [, right]) => right.length - left.length)[0]?.[0]
}
