import { sign } from '../../test/helpers/signed-webhook.ts'
import type { Delivery } from './deliveries.ts'

const nowSeconds = () => Math.floor(Date.now() / 1000)

/** What somebody without the secret can send: the header of a body, where it has one. */
const FORGERIES: ((forged: string, genuine: string) => string | undefined)[] = [
  () => undefined,
  (forged) => sign(forged, { secret: 'whsec_of_somebody_else' }),
  (_forged, genuine) => sign(genuine),
  (forged) => sign(forged, { timestamp: nowSeconds() - 86_400 }),
  (forged) => sign(forged, { timestamp: nowSeconds() + 86_400 }),
  () => `t=${nowSeconds()},v1=${'ab'.repeat(32)}`,
  (forged) => `${sign(forged)},t=${nowSeconds()}`,
]

/** Half of them say something else of a genuine event, the others make one up. */
export function forge({ eventId, body }: Delivery, random: () => number): Delivery {
  const id = random() < 0.5 ? eventId : `${eventId}forged`
  const forged = body.replace(eventId, id).replace('"livemode":', '"forged":true,"livemode":')
  const makeHeader = FORGERIES[Math.floor(random() * FORGERIES.length)] as (typeof FORGERIES)[number]
  return { eventId: id, body: forged, sign: () => makeHeader(forged, body), isForged: true }
}
