import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Config, type NamedSecret, type NamedToken, sha256 } from './config.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './platform/embedded-postgres.ts'

/** What a laptop has instead of configuration: files in the data folder, made at the first start. */
export const LOCAL_FILES = { stripeSecret: 'stripe-webhook-secret', operatorToken: 'operator-token', address: 'address' } as const

export type LocalMode = { config: Config; embedded: EmbeddedPostgres }

/** Starts the embedded database and makes the secrets that are not configured. */
export async function startLocalMode(config: Config, onProgress: (step: string) => void): Promise<LocalMode> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const secrets = config.stripe.secrets.length > 0 ? config.stripe.secrets : [await madeSecret(config)]
  const hasOperator = config.tokens.some(({ role }) => role === 'operator')
  const tokens = hasOperator ? config.tokens : [...config.tokens, await madeToken(config)]
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, onProgress })
  const database = { ...config.database, url: embedded.url, directUrl: embedded.url }
  return { config: { ...config, database, tokens, stripe: { ...config.stripe, secrets } }, embedded }
}

export function localFile(config: Pick<Config, 'dataDir'>, file: keyof typeof LOCAL_FILES): string {
  return resolve(join(config.dataDir, LOCAL_FILES[file]))
}

export async function readLocalFile(config: Pick<Config, 'dataDir'>, file: keyof typeof LOCAL_FILES): Promise<string | undefined> {
  return readFile(localFile(config, file), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )
}

export async function writeLocalFile(config: Pick<Config, 'dataDir'>, file: keyof typeof LOCAL_FILES, text: string): Promise<void> {
  await writeFile(localFile(config, file), `${text}\n`, { mode: 0o600 })
}

async function madeSecret(config: Config): Promise<NamedSecret> {
  return { name: 'local', secret: await readOrMake(config, 'stripeSecret', () => `whsec_${randomBytes(32).toString('hex')}`) }
}

async function madeToken(config: Config): Promise<NamedToken> {
  const token = await readOrMake(config, 'operatorToken', () => randomBytes(32).toString('base64url'))
  return { name: 'local', role: 'operator', sha256: sha256(token) }
}

async function readOrMake(config: Config, file: keyof typeof LOCAL_FILES, make: () => string): Promise<string> {
  const known = await readLocalFile(config, file)
  if (known) return known
  const made = make()
  await writeLocalFile(config, file, made)
  return made
}
