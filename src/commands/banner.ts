import type { Config } from '../config.ts'
import { ONE_TIME_LINK_MINUTES } from '../console/one-time-links.ts'
import { localFile } from '../local-mode.ts'

type Banner = {
  given: Config
  address: string
  operatorAddress: string /** Signs in once; only where a person sits at the terminal. */
  signInPath: string | undefined
}

/** What somebody who started Sluice for the first time wants to do next. */
export function printBanner({ given, address, operatorAddress, signInPath }: Banner): void {
  const names = given.stripe.secrets.map(({ name }) => name).join(', ')
  const secret = names ? `STRIPE_WEBHOOK_SECRETS (${names})` : `made for you, in ${localFile(given, 'stripeSecret')}`
  const hasOperator = given.tokens.some(({ role }) => role === 'operator')
  const token = hasOperator ? 'OPERATOR_TOKENS' : localFile(given, 'operatorToken')
  process.stdout.write(`
  Sluice is ready.

  Webhook URL     ${address}/webhooks/stripe
  Stripe secret   ${secret}
  Console         ${operatorAddress}${signInPath ?? '/console'}${signInPath ? `    signs you in once, within ${ONE_TIME_LINK_MINUTES} minutes` : ''}
  API             ${operatorAddress}/api    token: ${token}

  Try it, in another terminal:
    npm run send -- payment.succeeded --order ord_1001

  With stripe-cli:
    STRIPE_WEBHOOK_SECRETS=$(stripe listen --print-secret) npm start
    stripe listen --all-snapshot --forward-to ${address.replace(/^https?:\/\//, '')}/webhooks/stripe
    stripe trigger payment_intent.succeeded --add payment_intent:metadata.order_id=ord_1001

`)
}
