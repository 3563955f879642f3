export function table(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('   ')}`.trimEnd(),
  )
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

export function range(values: number[]): string {
  return `${whole(Math.min(...values))} to ${whole(Math.max(...values))}`
}

export function times(ratio: number): string {
  return `${ratio.toFixed(2)} ×`
}

export function milliseconds(value: number): string {
  return `${value.toFixed(1)} ms`
}
