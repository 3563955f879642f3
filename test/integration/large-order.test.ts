import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { PaymentFact } from '../../src/events/payment-fact.ts'
import { applyPaymentFacts } from '../../src/orders/apply-payment-facts.ts'
import { getOrder } from '../helpers/api.ts'
import { startTestGateway, type TestGateway } from '../helpers/start-test-gateway.ts'

const REFUNDS = 10_000

describe('an order with 10,000 facts', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ role: 'api' })
  })
  afterAll(() => gateway.stop())

  /** Applies the facts as one batch; returns the statements that it took. */
  async function apply(facts: PaymentFact[]): Promise<string[]> {
    const { db } = gateway.context
    const statements: string[] = []
    await db.transaction((tx) => {
      const query = ((text: string, values?: unknown[]) => {
        statements.push(text)
        return tx.query(text, values)
      }) as typeof tx.query
      const events = facts.map((fact) => ({ messageId: fact.messageId, isRepeat: false, facts: [fact] }))
      return applyPaymentFacts({ ...tx, query }, db.schema, events, new Date())
    })
    return statements
  }

  it('takes a batch of 200 more with as many statements as the second fact took', async () => {
    await apply([paid])
    const second = await apply([refundOf(0)])
    for (let from = 1; from < REFUNDS; from += 2000)
      await apply(Array.from({ length: 2000 }, (_, index) => refundOf(from + index)).filter(isWanted))

    const last = await apply(Array.from({ length: 200 }, (_, index) => refundOf(REFUNDS + index)))

    expect(last).toEqual(second)
    expect(last.length).toBeLessThan(12)
    expect(await getOrder(gateway.url, 'ord_large')).toMatchObject({
      status: 'partially_refunded',
      paid_minor: 1_000_000,
      refunded_minor: REFUNDS + 200,
    })
  })
})

const common = {
  provider: 'stripe',
  currency: 'USD',
  account: null,
  livemode: true,
  occurredAt: new Date('2026-01-01T00:00:00.000Z'),
  messageId: '01900000-0000-7000-8000-000000000001',
}
const paid: PaymentFact = {
  ...common,
  name: 'payment.succeeded',
  object: { kind: 'payment', id: 'pi_large' },
  relatesTo: [],
  state: 'succeeded',
  amountMinor: 1_000_000n,
  receivedMinor: 1_000_000n,
  orderId: 'ord_large',
  eventId: 'evt_paid',
}

function refundOf(index: number): PaymentFact {
  const name = 'refund.updated'
  const object = { kind: 'refund' as const, id: `re_${index}` }
  return { ...common, name, object, relatesTo: [paid.object], state: 'succeeded', amountMinor: 1n, eventId: `evt_${index}` }
}

function isWanted({ object }: PaymentFact): boolean {
  return Number(object.id.slice(3)) < REFUNDS
}
