export type Metrics = {
  types: Map<string, string>
  samples: Map<string, number>
  /** A sample by its name and labels, as Prometheus writes them: `up{job="a",instance="b"}`; 0 when it has not been counted yet. */
  value(sample: string): number
  /** The labels of every sample of this name. */
  labelsOf(name: string): Record<string, string>[]
}

export async function scrape(url: string, token?: string): Promise<Metrics> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  const response = await fetch(`${url}/metrics`, { headers })
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}: ${await response.text()}`)
  return parseMetrics(await response.text())
}

// Prometheus reads numbers as Go does, for which NaN may be written in any case.
const COMMENT = /^# (?:HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) .+|TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped))$/
const SAMPLE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*\})? ([+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|[Nn]a[Nn])$/

/** Prometheus' text format 0.0.4; throws at the first line that is not of it. */
function parseMetrics(text: string): Metrics {
  if (!text.endsWith('\n')) throw new Error('The last line does not end')
  const types = new Map<string, string>()
  const samples = new Map<string, number>()
  for (const line of text.split('\n').filter((part) => part !== '')) {
    const [comment, sample] = [COMMENT.exec(line), SAMPLE.exec(line)]
    if (!comment && !sample) throw new Error(`Not a line of Prometheus' text format: ${line}`)
    if (comment?.[2]) types.set(comment[2], comment[3] as string)
    if (sample) addSample(samples, `${sample[1]}${sample[2] ?? ''}`, sample[3] as string)
  }
  return {
    types,
    samples,
    value: (sample) => samples.get(sample) ?? 0,
    labelsOf: (name) => [...samples.keys()].filter((key) => key.split('{')[0] === name).map(parseLabels),
  }
}

function addSample(samples: Map<string, number>, key: string, value: string): void {
  if (samples.has(key)) throw new Error(`A sample stands twice: ${key}`)
  samples.set(key, Number(value.replace('Inf', 'Infinity')))
}

function parseLabels(sample: string): Record<string, string> {
  return Object.fromEntries([...sample.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value]))
}
