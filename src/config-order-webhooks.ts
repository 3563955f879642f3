/** Each message is signed with every key, so that a receiver can go from one to the next. */
export type Receivers = { urls: string[]; keys: Buffer[] }

// An address stands in an index of the database.
const MAX_URL_LENGTH = 1000
const MIN_KEY_BYTES = 24

/** Comma-separated. Problems name the variable and the place in it, never the value. */
export function parseReceivers(given: Record<string, string>, problems: string[]): Receivers {
  const { ORDER_WEBHOOK_URLS: urls, ORDER_WEBHOOK_SECRET: secrets } = given
  if (urls !== undefined && secrets === undefined) problems.push('ORDER_WEBHOOK_SECRET: required with ORDER_WEBHOOK_URLS')
  return {
    urls: [...new Set(parseEach({ name: 'ORDER_WEBHOOK_URLS', value: urls, parse: parseUrl, problems }))],
    keys: parseEach({ name: 'ORDER_WEBHOOK_SECRET', value: secrets, parse: parseKey, problems }),
  }
}

/** `parse` gives the value, or what is wrong with it. */
type List<Value> = { name: string; value: string | undefined; parse(text: string): { value: Value } | string; problems: string[] }

function parseEach<Value>({ name, value, parse, problems }: List<Value>): Value[] {
  if (value === undefined) return []
  return value.split(',').flatMap((item, index) => {
    const parsed = parse(item.trim())
    if (typeof parsed !== 'string') return [parsed.value]
    problems.push(`${name}: entry ${index + 1} ${parsed}`)
    return []
  })
}

function parseUrl(text: string): { value: string } | string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) return 'is not an http:// or https:// URL'
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return 'has a user or a password in it'
  url.hash = ''
  return url.href.length > MAX_URL_LENGTH ? `is longer than ${MAX_URL_LENGTH} characters` : { value: url.href }
}

function parseKey(text: string): { value: Buffer } | string {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1]
  if (encoded === undefined) return 'is not whsec_ and base64'
  const value = Buffer.from(encoded, 'base64')
  return value.length < MIN_KEY_BYTES ? `has fewer than ${MIN_KEY_BYTES} bytes after whsec_` : { value }
}
