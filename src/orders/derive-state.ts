import type { PaymentState } from '../events/payment-fact.ts'
import type { InvoiceParts, PaymentParts } from './group-objects.ts'
import type { Stamp } from './heard.ts'
import type { LedgerObject } from './ledger.ts'
import { compareStamps } from './merge-heard.ts'

/** What a payment came to. `succeededAt` and `receivedMinor` are absent where nothing was heard of them. */
export type Outcome = { succeededAt: string | undefined; state: Stamp | undefined; receivedMinor: bigint | undefined }

/** What the payment's own objects say, the most exact that spoke first. */
export function ownOutcome({ intent, charges, checkouts }: PaymentParts): Outcome {
  const created = intent?.heard.state
  const states = [created?.[0] === 1 ? created : undefined, latest(charges), latest(checkouts), created]
  return {
    succeededAt: earliest([...(intent ? [intent] : []), ...charges, ...checkouts].map(({ heard }) => heard.succeededAt)),
    state: states.find((state) => state !== undefined),
    receivedMinor: firstHeard([
      intent?.heard.received,
      sum(charges.map(({ heard }) => heard.received)),
      most([intent, ...charges].map((object) => object?.heard.settled)),
      most(checkouts.map(({ heard }) => heard.received)),
    ]),
  }
}

/** What an invoice and its own checkouts say of the group as a whole. */
export function groupOutcome({ invoice, checkouts }: InvoiceParts): Outcome {
  const objects = [invoice, ...checkouts]
  return {
    succeededAt: earliest(objects.map(({ heard }) => heard.succeededAt)),
    state: latest(objects),
    receivedMinor: firstHeard([most(objects.map(({ heard }) => heard.received))]),
  }
}

/** A payment of which nothing was heard that counts takes the word of the invoices that tie it alone. */
export function lentOutcome(parts: PaymentParts, own: Outcome): Outcome {
  const hasSpoken = own.succeededAt !== undefined || own.state?.[0] === 1 || (own.receivedMinor ?? 0n) > 0n
  const lenders = hasSpoken ? [] : parts.invoices.filter(({ invoice, tied }) => tied.length === 1 && !invoice.heard.isOutOfBand)
  if (lenders.length === 0) return own
  const words = lenders.map(groupOutcome)
  return {
    succeededAt: earliest(words.map(({ succeededAt }) => succeededAt)),
    state:
      words
        .flatMap(({ state }) => (state ? [state] : []))
        .sort(compareStamps)
        .at(-1) ?? own.state,
    receivedMinor: words.reduce<bigint | undefined>((known, { receivedMinor }) => maxOf(known, receivedMinor), own.receivedMinor),
  }
}

export function stateOf({ succeededAt, state }: Outcome): PaymentState {
  return succeededAt === undefined ? ((state?.[4] as PaymentState | undefined) ?? 'created') : 'succeeded'
}

export function stateTime({ succeededAt, state }: Outcome): string | undefined {
  return succeededAt ?? (state?.[1] as string | undefined)
}

export function latest(objects: LedgerObject[]): Stamp | undefined {
  return objects
    .flatMap(({ heard }) => (heard.state ? [heard.state] : []))
    .sort(compareStamps)
    .at(-1)
}

export function earliest(times: (string | undefined)[]): string | undefined {
  return times.filter((time) => time !== undefined).sort()[0]
}

function firstHeard(amounts: (number | undefined)[]): bigint | undefined {
  const amount = amounts.find((candidate) => candidate !== undefined)
  return amount === undefined ? undefined : BigInt(amount)
}

// Each amount is a safe integer; sums of a payment's charges stay within them for any real payment.
function sum(amounts: (number | undefined)[]): number | undefined {
  const heard = amounts.filter((amount) => amount !== undefined)
  return heard.length === 0 ? undefined : heard.reduce((total, amount) => total + amount, 0)
}

function most(amounts: (number | undefined)[]): number | undefined {
  const heard = amounts.filter((amount) => amount !== undefined)
  return heard.length === 0 ? undefined : Math.max(...heard)
}

function maxOf(left: bigint | undefined, right: bigint | undefined): bigint | undefined {
  if (left === undefined || right === undefined) return left ?? right
  return left > right ? left : right
}
