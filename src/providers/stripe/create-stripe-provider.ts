import type { Config } from '../../config.ts'
import type { Provider } from '../provider.ts'
import { checkSignatureHeader } from './check-signature-header.ts'
import { interpretEvent } from './interpret-event.ts'
import { readEnvelope } from './read-envelope.ts'
import { verifySignature } from './verify-signature.ts'

export function createStripeProvider({ secrets, ...options }: Config['stripe']): Provider {
  return {
    name: 'stripe',
    checkHeaders: checkSignatureHeader,
    async verify(checked, body) {
      const secretName = verifySignature(checked, body, secrets)
      return { secretName, events: [readEnvelope(body)] }
    },
    interpret: (event) => interpretEvent(event, options),
  }
}
