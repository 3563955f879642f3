/** A value of a payload, as it is shown: `text` is as the sender wrote it. */
type TreeNode = { key: string | null; kind: 'text' | 'number' | 'word' | 'empty'; text: string } | TreeBranch
type TreeBranch = { key: string | null; kind: 'branch'; open: string; close: string; count: number; children: TreeNode[] }

export type Tree = { root: TreeNode; isWhole: boolean }

class WrittenNumber {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

type Reviver = (key: string, value: unknown, context: { source: string }) => unknown
const parseExactly = JSON.parse as (text: string, reviver: Reviver) => unknown

/** A payload as a tree of at most `limit` nodes; numbers as written, since one can be too large for JavaScript. */
export function toTree(body: Uint8Array, limit: number): Tree {
  const text = Buffer.from(body).toString('utf8')
  const value = parseExactly(text, (_key, read, { source }) => (typeof read === 'number' ? new WrittenNumber(source) : read))
  const budget = { left: limit }
  const root = toNode(null, value, budget)
  return { root, isWhole: budget.left >= 0 }
}

type Budget = { left: number }

function toNode(key: string | null, value: unknown, budget: Budget): TreeNode {
  budget.left -= 1
  if (value instanceof WrittenNumber) return { key, kind: 'number', text: value.source }
  if (typeof value === 'string') return { key, kind: 'text', text: JSON.stringify(value) }
  if (typeof value !== 'object' || value === null) return { key, kind: 'word', text: String(value) }
  const isList = Array.isArray(value)
  const entries = isList ? value.map((item): [string | null, unknown] => [null, item]) : Object.entries(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  if (entries.length === 0) return { key, kind: 'empty', text: `${open}${close}` }
  const children: TreeNode[] = []
  for (const [name, child] of entries) {
    if (budget.left < 0) break
    children.push(toNode(name, child, budget))
  }
  return { key, kind: 'branch', open, close, count: entries.length, children }
}
