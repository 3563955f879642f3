// A shop that takes Sluice's order messages; plain Node.js, nothing to install:
//   ORDER_WEBHOOK_SECRET=whsec_… node examples/receive-order-messages/receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'

const TOLERANCE_SECONDS = 300
const secret = process.env.ORDER_WEBHOOK_SECRET
if (!secret?.startsWith('whsec_')) throw new Error('Set ORDER_WEBHOOK_SECRET to the whsec_… that Sluice has')
const key = Buffer.from(secret.slice('whsec_'.length), 'base64')

/** Over the bytes as they came: parsing and writing them again would change them. */
function isAuthentic({ headers }, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return false
  const wanted = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  // While the secret is changed there are two.
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64')
    return signature.startsWith('v1,') && given.length === wanted.length && timingSafeEqual(given, wanted)
  })
}

// A shop keeps both in its database, and changes them in the transaction in which it acts on the message.
const handled = new Set()
const sequences = new Map()

function handle({ id, type, subject: orderId, sequence, data }) {
  if (handled.has(id)) return `${orderId} ${type}: had it before`
  handled.add(id)
  if (sequence <= (sequences.get(orderId) ?? 0)) return `${orderId} ${type}: late, a newer one was here`
  sequences.set(orderId, sequence)
  return `${orderId} is ${data.status}: ${format(data.paid_minor, data.currency)} paid, ${format(data.refunded_minor, data.currency)} refunded`
}

/** Amounts are whole numbers of minor units; how many make one unit depends on the currency. */
function format(minor, currency) {
  if (currency === null) return String(minor)
  const { maximumFractionDigits: digits } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  return `${(minor / 10 ** digits).toFixed(digits)} ${currency}`
}

async function receive(request) {
  const body = await buffer(request)
  if (!isAuthentic(request, body)) return 401
  process.stdout.write(`${handle(JSON.parse(body))}\n`)
  return 204
}

const server = createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    // Sluice sends it again.
    () => response.writeHead(500).end(),
  )
})
server.listen(Number(process.env.PORT ?? 4000), () => process.stdout.write(`Listening on http://127.0.0.1:${server.address().port}\n`))
