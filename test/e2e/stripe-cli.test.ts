import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { getOrder, waitForEvent } from '../helpers/api.ts'
import { type FakeStripe, type Report, startFakeStripe } from '../helpers/fake-stripe.ts'
import { createFolder, type Program } from '../helpers/run-program.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'
import { runStripe, type StripeCli } from '../helpers/stripe-cli.ts'
import { waitUntil } from '../helpers/wait-until.ts'

describe('the real stripe-cli', () => {
  let folder: Awaited<ReturnType<typeof createFolder>>
  let stripe: FakeStripe
  let cli: StripeCli
  let printedSecret: string
  let gateway: TestGateway
  let listener: Program
  beforeAll(async () => {
    folder = await createFolder()
    stripe = await startFakeStripe()
    cli = { apiBase: stripe.apiBase, home: folder.path }
    printedSecret = await printSecret()
    gateway = await startTestGateway({ env: { STRIPE_WEBHOOK_SECRETS: printedSecret } })
    listener = runStripe(cli, ['listen', '--all-snapshot', '--forward-to', forwardAddress(), '--no-wss', '--skip-update'])
    await waitUntil('stripe-cli listens', () => failIfEnded(listener) || stripe.isListening())
  })
  afterAll(async () => {
    await listener?.[Symbol.asyncDispose]()
    await gateway?.stop()
    await stripe?.stop()
    await folder?.[Symbol.asyncDispose]()
  })

  it('prints with listen --print-secret the secret that the gateway needs', async () => {
    const event = buildEvent()
    const [right, wrong] = await Promise.all([deliver(gateway.url, event, { secret: stripe.secret }), deliver(gateway.url, event)])

    expect(printedSecret).toBe(stripe.secret)
    expect(right.status).toBe(202)
    expect(wrong.status).toBe(400)
  })

  it('forwards a payment, and its order is paid', async () => {
    const orderId = uniqueId('ord')
    const event = buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) })

    stripe.send(event)

    expect(await waitForReports(event, 1)).toMatchObject([{ status: 202, answer: { status: 'accepted' } }])
    expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ status: 'processed', order_ids: [orderId] })
    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'paid', paid_minor: 2000 })
  })

  it('forwards a burst without any order, and the refunded order ends as refunded', async () => {
    const { orderId, created, processing, succeeded, refunded } = buildStory()

    for (const event of [refunded, created, succeeded, processing]) stripe.send(event)

    for (const event of [refunded, created, succeeded, processing]) {
      expect(await waitForReports(event, 1)).toMatchObject([{ status: 202 }])
      expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ status: 'processed' })
    }
    const order = await getOrder(gateway.url, orderId)
    expect(order).toMatchObject({ status: 'refunded', paid_minor: 2000, refunded_minor: 2000 })
    expect(order.payments).toHaveLength(1)
  })

  it('forwards what happened before the success after it, and the order stays paid', async () => {
    const { orderId, created, processing, succeeded } = buildStory()

    for (const event of [succeeded, processing, created]) {
      stripe.send(event)
      await waitForReports(event, 1)
      await waitForEvent(gateway.url, event.id)
    }

    const order = await getOrder(gateway.url, orderId)
    expect(order).toMatchObject({ status: 'paid', paid_minor: 2000, refunded_minor: 0 })
    expect(order.history).toMatchObject([
      { from: 'pending', to: 'paid' },
      { from: 'paid', to: 'paid', note: expect.stringContaining('kept') },
    ])
  })

  it('repeats an event with events resend, which is counted as a duplicate and changes nothing', async () => {
    const orderId = uniqueId('ord')
    const event = buildEvent({ object: buildIntent({ metadata: { order_id: orderId } }) })
    stripe.send(event)
    await waitForReports(event, 1)
    const before = await waitForEvent(gateway.url, event.id)

    await using resend = runStripe(cli, ['events', 'resend', event.id, '--confirm'])

    expect(await resend.ended).toBe(0)
    const reports = await waitForReports(event, 2)
    expect(reports[1]).toMatchObject({ status: 200, answer: { status: 'duplicate', message_id: before.message_id } })
    expect(await waitForEvent(gateway.url, event.id)).toMatchObject({ status: 'processed', duplicate_count: 1, attempts: before.attempts })
    expect((await getOrder(gateway.url, orderId)).history).toHaveLength(1)
  })

  async function printSecret(): Promise<string> {
    await using program = runStripe(cli, ['listen', '--print-secret', '--skip-update'])
    expect(await program.ended).toBe(0)
    return program.output().trim()
  }

  function forwardAddress(): string {
    return `${gateway.url.replace('http://127.0.0.1', 'localhost')}/webhooks/stripe`
  }

  function waitForReports(event: { id: string }, count: number): Promise<Report[]> {
    return waitUntil(`stripe-cli has reported on ${event.id} ${count} times`, () => {
      failIfEnded(listener)
      const reports = stripe.reportsOf(event)
      return reports.length >= count ? reports : undefined
    })
  }
})

function failIfEnded(program: Program): false {
  if (program.hasEnded()) throw new Error(`stripe-cli has ended:\n${program.output()}`)
  return false
}

/** The life of one payment of an order, a second apart. */
function buildStory() {
  const orderId = uniqueId('ord')
  const metadata = { order_id: orderId }
  const payment = uniqueId('pi')
  const start = Math.floor(Date.now() / 1000) - 60
  const intent = (status: string, received: number) => buildIntent({ id: payment, status, amount_received: received, metadata })
  const charge = { id: uniqueId('ch'), object: 'charge', payment_intent: payment, amount: 2000, amount_captured: 2000, currency: 'usd' }
  return {
    orderId,
    created: buildEvent({ type: 'payment_intent.created', created: start, object: intent('requires_payment_method', 0) }),
    processing: buildEvent({ type: 'payment_intent.processing', created: start + 1, object: intent('processing', 0) }),
    succeeded: buildEvent({ type: 'payment_intent.succeeded', created: start + 2, object: intent('succeeded', 2000) }),
    refunded: buildEvent({ type: 'charge.refunded', created: start + 3, object: { ...charge, amount_refunded: 2000, refunded: true } }),
  }
}
