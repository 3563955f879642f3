import { type ApiAnswer, callApi, type Json } from './api.ts'

type Query = Record<string, string | number>

/** Answers a query string whose values are given as they are. */
export function listApi(url: string, path: string, query: Query = {}): Promise<ApiAnswer> {
  const values = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
  return callApi(url, `${path}?${new URLSearchParams(values)}`)
}

/** Every row of a list, page after page; `between` runs after each page. */
export async function listPages(
  url: string,
  path: string,
  query: Query,
  between: () => Promise<unknown> = async () => {},
): Promise<Json[][]> {
  const pages: Json[][] = []
  let cursor: string | null = null
  do {
    const { status, body }: ApiAnswer = await listApi(url, path, { ...query, ...(cursor !== null && { cursor }) })
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`)
    pages.push(body.data)
    cursor = body.next_cursor
    if (pages.length > 1000) throw new Error(`${path} has no last page`)
    await between()
  } while (cursor !== null)
  return pages
}
