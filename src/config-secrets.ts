import { createHash } from 'node:crypto'

export type NamedSecret = { name: string; secret: string }
export type TokenRole = 'operator' | 'viewer' | 'shop'
/** Tokens are kept as SHA-256, which is also how they are compared. */
export type NamedToken = { name: string; role: TokenRole; sha256: Buffer }

const NAME = /^[A-Za-z0-9._-]{1,64}$/

/** `whsec_…` or `name=whsec_…`, comma-separated. Problems name the variable and the place in it, never the value. */
export function parseSecrets(variable: string, value: string, problems: string[]): NamedSecret[] {
  const secrets: NamedSecret[] = []
  for (const [index, item] of value.split(',').entries()) {
    const { name, text } = splitNamed(item.trim(), /^([^=]*)=(.*)$/, variable.endsWith('S') ? `secret-${index + 1}` : 'secret')
    const problem = secretProblem(name, text)
    if (problem) problems.push(`${variable}: entry ${index + 1} ${problem}`)
    else secrets.push({ name, secret: text })
  }
  return secrets
}

function secretProblem(name: string, text: string): string | undefined {
  if (text === '') return 'is empty; it must be the whsec_… of the webhook endpoint'
  if (/^(sk|rk|pk)_/.test(text)) return 'is an API key; it must be the whsec_… of the webhook endpoint'
  if (!text.startsWith('whsec_')) return 'does not begin with whsec_'
  if (!/^whsec_[\x21-\x7e]+$/.test(text)) return 'has white space or unprintable characters inside'
  if (!NAME.test(name)) return 'has a name that is not 1–64 of A-Z a-z 0-9 . _ -'
  return undefined
}

export type TokenList = { name: string; role: TokenRole; value: string; problems: string[] }

/** `name=token` or `name=sha256:<hex>`, comma-separated; a name may stand twice, for rotation. */
export function parseTokens({ name: variable, role, value, problems }: TokenList): NamedToken[] {
  const tokens: NamedToken[] = []
  for (const [index, item] of value.split(',').entries()) {
    const { name, text } = splitNamed(item.trim(), /^([^=]*)=(.*)$/, '')
    const problem = tokenProblem(name, text)
    if (problem) problems.push(`${variable}: entry ${index + 1} ${problem}`)
    else tokens.push({ name, role, sha256: hashToken(text) })
  }
  return tokens
}

function tokenProblem(name: string, text: string): string | undefined {
  if (!NAME.test(name)) return 'must be name=token, with a name of 1–64 of A-Z a-z 0-9 . _ -'
  if (text.startsWith('sha256:')) return /^sha256:[0-9a-f]{64}$/.test(text) ? undefined : 'must have 64 lower-case hex digits after sha256:'
  if (text.length < 32) return 'is shorter than 32 characters'
  return /^[\x21-\x7e]+$/.test(text) ? undefined : 'has white space or unprintable characters'
}

function hashToken(text: string): Buffer {
  return text.startsWith('sha256:') ? Buffer.from(text.slice(7), 'hex') : sha256(text)
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function splitNamed(item: string, pattern: RegExp, fallbackName: string): { name: string; text: string } {
  const match = item.startsWith('whsec_') ? null : pattern.exec(item)
  return match ? { name: (match[1] ?? '').trim(), text: (match[2] ?? '').trim() } : { name: fallbackName, text: item }
}
