import express from 'express'
import { PgBoss } from 'pg-boss'
import Stripe from 'stripe'
import { v7 as uuidv7 } from 'uuid'
import { createDatabase } from '../../src/platform/database.ts'

// The usual handler: verify, create the row, send the job, answer. Two commits for each event, and no worker beside them.
const { PORT, DATABASE_URL: url = '', STRIPE_WEBHOOK_SECRET: secret = '' } = process.env
const QUEUE = 'webhook'

const { prisma } = createDatabase({ url, schema: 'sluice', poolMax: 10, timeoutMs: 5000 })
const boss = new PgBoss({ connectionString: url, schema: 'sluice_queue' })
boss.on('error', (error) => process.stderr.write(`${error.message}\n`))
await boss.start()
await boss.createQueue(QUEUE)

const app = express()
app.post('/webhooks/stripe', express.raw({ type: 'application/json' }), async (request, response) => {
  const body: Buffer = request.body
  const event = Stripe.webhooks.constructEvent(body, request.headers['stripe-signature'] ?? '', secret)
  const messageId = uuidv7()
  await prisma.webhookEvent.create({
    data: {
      messageId,
      provider: 'stripe',
      eventId: event.id,
      type: event.type,
      livemode: event.livemode,
      apiVersion: event.api_version,
      occurredAt: new Date(event.created * 1000),
      receivedAt: new Date(),
      secretName: 'bench',
      correlationId: messageId,
      // The usual table keeps the payload in a column of the row. Ours has a table for it, which would be a second call.
      reason: body.toString('utf8'),
    },
  })
  await boss.send(QUEUE, { messageId })
  response.json({ received: true })
})
app.listen(Number(PORT), '127.0.0.1')
process.on('SIGTERM', () => process.exit())
