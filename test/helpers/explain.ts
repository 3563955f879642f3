import pg from 'pg'
import type { Json } from './api.ts'

export type Statement = { text: string; values: unknown[] }

/** The select statements that any connection of this process is asked for while `act` runs. */
export async function recordSelects(act: () => Promise<unknown>): Promise<Statement[]> {
  const { query } = pg.Client.prototype
  const statements: Statement[] = []
  pg.Client.prototype.query = function record(this: pg.Client, ...args: Json[]) {
    const text: string = typeof args[0] === 'string' ? args[0] : args[0].text
    const values = Array.isArray(args[1]) ? args[1] : args[0].values
    if (/^\s*(select|with)\b/i.test(text)) statements.push({ text, values: values ?? [] })
    return query.apply(this, args as never)
  } as typeof query
  await act().finally(() => {
    pg.Client.prototype.query = query
  })
  return statements
}

export type PlanCost = {
  /** The tables that are read from their beginning to their end. */
  seqScans: string[]
  /** The most rows that one step sorts. */
  sortedRows: number
  /** All rows that are looked at in tables and indexes, wanted or not. */
  visitedRows: number
  plan: string
}

/** What the statement costs with these very values: it is run, and its plan is read. */
export async function explain(client: pg.ClientBase | pg.Pool, { text, values }: Statement): Promise<PlanCost> {
  const { rows } = await client.query(`explain (analyze, timing off, summary off, format json) ${text}`, values)
  const nodes = flatten(rows[0]['QUERY PLAN'][0].Plan)
  const scans = nodes.filter((node) => /Scan$/.test(node['Node Type']) && node['Node Type'] !== 'Bitmap Index Scan')
  return {
    seqScans: nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']),
    sortedRows: Math.max(0, ...nodes.filter((node) => /Sort$/.test(node['Node Type'])).map((node) => inputRows(node))),
    visitedRows: scans.reduce((sum, node) => sum + visited(node), 0),
    plan: nodes.map(describe).join('\n'),
  }
}

function flatten(node: Json, depth = 0): Json[] {
  return [{ ...node, depth }, ...(node.Plans ?? []).flatMap((child: Json) => flatten(child, depth + 1))]
}

function inputRows({ Plans: [input] }: Json): number {
  return Math.round(input['Actual Rows'] * input['Actual Loops'])
}

function visited(node: Json): number {
  const rows = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return Math.round(rows * node['Actual Loops'])
}

function describe(node: Json): string {
  const target = [node['Relation Name'], node['Index Name']].filter(Boolean).join(' by ')
  const conditions = [node['Index Cond'], node['Recheck Cond'], node.Filter].filter(Boolean).join(' / ')
  const rows = `${node['Actual Rows']} × ${node['Actual Loops']}, removed ${node['Rows Removed by Filter'] ?? 0}`
  return `${'  '.repeat(node.depth)}${node['Node Type']} ${target} (${rows}) ${conditions}`
}
