import { Router } from 'express'
import { z } from 'zod'
import { COUNT_LIMIT } from '../events/count-unsettled.ts'
import { gatherStatistics, STATISTICS_RANGES, type Statistics } from '../gather-statistics.ts'
import { type PageDeps, readQuery } from './page.ts'
import { texts } from './texts.ts'

const querySchema = z.strictObject({ range: z.enum(STATISTICS_RANGES).default('hour') })

/** How the gateway does, in numbers and charts. */
export function createHealthPages(deps: PageDeps): Router {
  const router = Router()
  router.get('/console/health', async (request, response) => {
    const { range } = readQuery(querySchema, request)
    const statistics = await gatherStatistics(deps, range)
    const charts = drawCharts(statistics)
    deps.render(response, 'health', {
      title: texts.health.title,
      hasCharts: true,
      range,
      ranges: STATISTICS_RANGES,
      COUNT_LIMIT,
      charts,
      ...statistics,
    })
  })
  return router
}

type Series = { label: string; values: (number | null)[]; tone: 'plain' | 'good' | 'warn' | 'bad' }
/** `data` is what the browser draws; the summary is for whoever cannot see it. */
type Chart = { id: string; title: string; unit: string; data: string; summary: string; isEmpty: boolean }

function drawCharts({ span, jobs, unsettled }: Statistics): Chart[] {
  const { health } = texts
  const times = listTimes(span)
  const valuesOf = <Point extends { at: Date }>(points: Point[], read: (point: Point) => number | null) => {
    const byTime = new Map(points.map((point) => [Math.floor(point.at.getTime() / 1000), read(point)]))
    return times.map((time) => byTime.get(time) ?? null)
  }
  const chart = (id: keyof typeof health.charts, unit: string, series: Series[]): Chart => ({
    id,
    title: health.charts[id],
    unit,
    data: JSON.stringify({ times, series, bucketSeconds: span.bucketSeconds }),
    summary: series.map(({ label, values }) => health.most(label, Math.max(0, ...values.map((value) => value ?? 0)), unit)).join('; '),
    isEmpty: series.every(({ values }) => values.every((value) => value === null)),
  })
  const { jobs: unit, seconds, events } = health.units
  return [
    chart('processing', unit, [
      { label: health.created, tone: 'plain', values: valuesOf(jobs, ({ created }) => created) },
      { label: health.completed, tone: 'good', values: valuesOf(jobs, ({ completed }) => completed) },
    ]),
    chart('failures', events, [
      { label: texts.status.parked ?? '', tone: 'warn', values: valuesOf(unsettled, ({ parked }) => parked) },
      { label: texts.status.dead ?? '', tone: 'bad', values: valuesOf(unsettled, ({ dead }) => dead) },
    ]),
    chart('depth', unit, [
      { label: health.ready, tone: 'plain', values: valuesOf(jobs, ({ ready }) => ready) },
      { label: health.active, tone: 'good', values: valuesOf(jobs, ({ active }) => active) },
    ]),
    chart('age', seconds, [
      { label: health.oldest, tone: 'warn', values: valuesOf(jobs, ({ oldestReadySeconds }) => oldestReadySeconds) },
      { label: health.wait, tone: 'plain', values: valuesOf(jobs, ({ waitSeconds }) => waitSeconds) },
    ]),
  ]
}

/** Where each span begins, in seconds since 1970. */
function listTimes({ from, to, bucketSeconds }: Statistics['span']): number[] {
  const first = from.getTime() / 1000
  const count = Math.floor((to.getTime() / 1000 - first) / bucketSeconds) + 1
  return Array.from({ length: count }, (_, index) => first + index * bucketSeconds)
}
