import { createHmac } from 'node:crypto'
import type { NamedSecret } from '../../src/config.ts'

/**
 * Stripe's scheme and our door's rules written a second time, over the raw bytes and with node:crypto alone:
 * the oracle for the SDK behind the gate. Gives the name of the first secret that signed the body.
 */
export function verifyByReference(header: string, body: Buffer, secrets: NamedSecret[], nowSeconds: number): string | undefined {
  const pairs = header.split(',').map((item) => {
    const [key, ...values] = item.split('=')
    return { key, value: values.length > 0 ? values.join('=') : undefined }
  })
  const times = pairs.filter(({ key }) => key === 't').map(({ value }) => value)
  const signatures = pairs.filter(({ key }) => key === 'v1').flatMap(({ value }) => value ?? [])
  const [time] = times
  const isWellFormed =
    header.length <= 4096 && times.length === 1 && signatures.length <= 16 && time === String(Number.parseInt(time ?? '', 10))
  if (!isWellFormed || Math.abs(Number(time) - nowSeconds) > 300 || !isPlainUtf8(body)) return undefined
  const signed = Buffer.concat([Buffer.from(`${time}.`), body])
  return secrets.find(({ secret }) => signatures.includes(createHmac('sha256', secret).update(signed).digest('hex')))?.name
}

function isPlainUtf8(body: Buffer): boolean {
  return Buffer.from(body.toString('utf8')).equals(body) && !body.toString('utf8').startsWith('\uFEFF')
}
