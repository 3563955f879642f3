import pg from 'pg'

/** Whether the driver can read it, with the files that it names. A client that is not connected costs nothing. */
export function isDatabaseUrl(text: string): boolean {
  try {
    return new pg.Client({ connectionString: text }) !== undefined
  } catch {
    return false
  }
}
