export type Percentiles = { p50: number; p95: number; p99: number }

export function median(values: number[]): number {
  return percentile(values, 50)
}

export function percentiles(values: number[]): Percentiles {
  return { p50: percentile(values, 50), p95: percentile(values, 95), p99: percentile(values, 99) }
}

/** Linear between the two nearest ranks. */
function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  const position = ((sorted.length - 1) * percent) / 100
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position - Math.floor(position))
}

export type Point = { x: number; y: number }

/** The straight line with the least squares. */
export function fitLine(points: Point[]): { slope: number; at(x: number): number } {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [meanX, meanY] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))]
  const slope = mean(points.map(({ x, y }) => (x - meanX) * (y - meanY))) / mean(points.map(({ x }) => (x - meanX) ** 2))
  return { slope, at: (x) => meanY + slope * (x - meanX) }
}
