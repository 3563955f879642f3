import express from 'express'
import Stripe from 'stripe'

// The ceiling: what Express and the stripe SDK leave to everything else. Nothing is stored.
const { PORT, STRIPE_WEBHOOK_SECRET: secret = '' } = process.env

const app = express()
app.post('/webhooks/stripe', express.raw({ type: 'application/json' }), (request, response) => {
  Stripe.webhooks.constructEvent(request.body, request.headers['stripe-signature'] ?? '', secret)
  response.json({ received: true })
})
app.listen(Number(PORT), '127.0.0.1')
process.on('SIGTERM', () => process.exit())
