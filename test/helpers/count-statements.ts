import type { Database } from '../../src/platform/database.ts'

/** Counts what the pool is asked for, a statement or a connection, until `stop` is called. */
export function countStatements({ pool }: Database): { count(): number; stop(): void } {
  const { query, connect } = pool
  let count = 0
  const counting = <Method extends (...args: never[]) => unknown>(method: Method) =>
    ((...args: never[]) => {
      count += 1
      return method.apply(pool, args)
    }) as Method
  pool.query = counting(query)
  pool.connect = counting(connect)
  return {
    count: () => count,
    stop() {
      pool.query = query
      pool.connect = connect
    },
  }
}
