import { table, whole } from '../bench/report/table.ts'
import type { ChaosPlan, Outcome } from './run-chaos.ts'
import { type Finding, KINDS } from './verify/finding.ts'

const SHOWN_OF_A_KIND = 10
const SHOWN_LENGTH = 300

export function formatOutcome({ seed }: ChaosPlan, outcome: Outcome): string {
  const { faults, findings, seconds } = outcome
  const times = faults.reduce((sum, fault) => sum + fault.times, 0)
  const heading = ['fault', 'times', 'longest until answered 2xx again']
  const rows = faults.map(({ name, times, longestMs }) => [name, whole(times), `${(longestMs / 1000).toFixed(1)} s`])
  const sections = [
    [`Chaos: two API and two worker processes, ${whole(times)} faults in ${whole(seconds)} s; again with --seed ${seed}`],
    table([heading, ...rows]),
    table([['deliveries', ''], ...countRows(outcome)]),
    table([['verified', ''], ...verifiedRows(outcome)]),
    ...KINDS.map((kind) => findingLines(findings.filter((finding) => finding.kind === kind))),
  ]
  const lines = sections.filter(({ length }) => length > 0).map((section) => section.join('\n'))
  return `${lines.join('\n\n')}\n`
}

function findingLines(findings: Finding[]): string[] {
  const shown = findings.slice(0, SHOWN_OF_A_KIND).map(({ kind, what }) => `  ${kind}: ${shorten(what)}`)
  return findings.length > SHOWN_OF_A_KIND ? [...shown, `  … and ${whole(findings.length - SHOWN_OF_A_KIND)} more`] : shown
}

/** The whole text is in findings.json. */
function shorten(what: string): string {
  return what.length > SHOWN_LENGTH ? `${what.slice(0, SHOWN_LENGTH)} …` : what
}

function countRows({ counts, events }: Outcome): string[][] {
  const { deliveries, forgeries, attempts, taken, refused, shed, unavailable, unanswered } = counts
  return [
    ['had their end', whole(deliveries)],
    ['  unique events', whole(events)],
    ['  forgeries', whole(forgeries)],
    ['requests', whole(attempts)],
    ['  answered 2xx', whole(taken)],
    ['  forgeries answered 4xx', whole(refused)],
    ['  answered 503, queue full', whole(shed)],
    ['  answered 503, not stored', whole(unavailable)],
    ['  without an answer', whole(unanswered)],
  ]
}

function verifiedRows({ findings, events, orders, messages, repeats }: Outcome): string[][] {
  const counted = KINDS.map((kind) => [kind, whole(findings.filter((finding) => finding.kind === kind).length)])
  return [
    ['events', whole(events)],
    ['orders', whole(orders)],
    ['messages', whole(messages)],
    ['  that arrived once more', whole(repeats)],
    ...counted,
  ]
}
