import { randomBytes } from 'node:crypto'

const random = () => randomBytes(12).toString('hex')

/** What must never be seen outside of the payload and the configuration; each is found by itself, whatever stands around it. */
export function createCanaries() {
  return {
    email: `canary.${random()}@example.com`,
    clientSecret: `pi_${random()}_secret_${random()}`,
    signingSecret: `whsec_${random()}`,
    wrongSecret: `whsec_${random()}`,
    apiKey: `sk_live_${random()}`,
    operatorToken: `operator-${random()}${random()}`,
    shopToken: `shop-${random()}${random()}`,
    wrongToken: `wrong-${random()}${random()}`,
    metricsToken: `metrics-${random()}${random()}`,
    databasePassword: `password-${random()}`,
    messageSecret: `whsec_${randomBytes(32).toString('base64')}`,
    receiverKey: `key-${random()}`,
  }
}

export type Canaries = ReturnType<typeof createCanaries>

/** The names of those that stand in the text, as they are or encoded. */
export function findCanaries(canaries: Partial<Canaries>, text: string): string[] {
  const seen = text.toLowerCase()
  return Object.entries(canaries).flatMap(([name, canary]) =>
    formsOf(canary).some((form) => seen.includes(form.toLowerCase())) ? [name] : [],
  )
}

function formsOf(canary: string): string[] {
  const bytes = Buffer.from(canary)
  // Base64 without its end, which depends on what follows.
  return [canary, canary.replace('whsec_', ''), encodeURIComponent(canary), bytes.toString('hex'), bytes.toString('base64').slice(0, -4)]
}
