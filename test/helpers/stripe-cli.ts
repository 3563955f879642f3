import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Program, ROOT, runProgram } from './run-program.ts'

export type StripeCli = { apiBase: string; home: string }

/** The real stripe-cli, against a fake Stripe on this machine; its own configuration goes to `home`. */
export function runStripe({ apiBase, home }: StripeCli, args: string[]): Program {
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: home,
    STRIPE_API_KEY: 'sk_test_fake1234567890',
    STRIPE_CLI_TELEMETRY_OPTOUT: '1',
    DO_NOT_TRACK: '1',
  }
  return runProgram(findStripeCli(), [...args, '--api-base', apiBase], { env, cwd: home })
}

function findStripeCli(): string {
  const name = `@stripe/cli-${process.platform}-${process.arch}`
  const path = join(ROOT, 'node_modules', name, 'bin', 'stripe')
  if (!existsSync(path)) throw new Error(`stripe-cli is not installed for this machine (${name}). Run npm ci without --omit=optional.`)
  return path
}
