import type { PaymentState } from '../events/payment-fact.ts'
import type { InvoiceParts, PaymentParts } from './group-objects.ts'
import type { Stamp } from './heard.ts'
import type { LedgerObject } from './ledger.ts'
import { compareStamps } from './merge-heard.ts'

/** What a payment came to; `state` is the best that was heard beside a success. */
export type Outcome = { succeededAt: string | undefined; state: Stamp | undefined; receivedMinor: bigint }

/** What the payment's own objects say, the most exact that spoke first. */
export function ownOutcome({ intent, charges, checkouts }: PaymentParts): Outcome {
  const created = intent?.heard.state
  const states = [created?.[0] === 1 ? created : undefined, latest(charges), latest(checkouts), created]
  return {
    succeededAt: earliest([...(intent ? [intent] : []), ...charges, ...checkouts].map(({ heard }) => heard.succeededAt)),
    state: states.find((state) => state !== undefined),
    // To have received nothing so far is no answer, so the next one is asked.
    receivedMinor: firstAbove0([
      BigInt(intent?.heard.received ?? 0),
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
    receivedMinor: firstAbove0([most(objects.map(({ heard }) => heard.received))]),
  }
}

/**
 * A payment that nobody else saw succeed takes the word of an invoice that ties it alone: that it succeeded, unless it was
 * canceled, as a payment is whose invoice was paid by other means; anything else only where it said nothing itself.
 */
export function lentOutcome(parts: PaymentParts, own: Outcome): Outcome {
  if (own.succeededAt !== undefined || own.receivedMinor > 0n || own.state?.[4] === 'canceled') return own
  const lenders = parts.invoices.filter(({ invoice, tied }) => tied.length === 1 && !invoice.heard.isOutOfBand).map(groupOutcome)
  const isSilent = own.state === undefined || own.state[4] === 'created'
  const word = lenders.find(({ succeededAt }) => succeededAt !== undefined) ?? (isSilent ? lenders[0] : undefined)
  return word ? { ...word, state: word.state ?? own.state } : own
}

export function stateOf({ succeededAt, state }: Outcome): PaymentState {
  return succeededAt === undefined ? ((state?.[4] as PaymentState | undefined) ?? 'created') : 'succeeded'
}

export function stateTime({ succeededAt, state }: Outcome): string | undefined {
  return succeededAt ?? (state?.[1] as string | undefined)
}

function latest(objects: LedgerObject[]): Stamp | undefined {
  return objects
    .flatMap(({ heard }) => (heard.state ? [heard.state] : []))
    .sort(compareStamps)
    .at(-1)
}

export function earliest(times: (string | undefined)[]): string | undefined {
  return times.filter((time) => time !== undefined).sort()[0]
}

function firstAbove0(amounts: bigint[]): bigint {
  return amounts.find((amount) => amount > 0n) ?? 0n
}

function sum(amounts: (number | undefined)[]): bigint {
  return amounts.reduce<bigint>((total, amount) => total + BigInt(amount ?? 0), 0n)
}

function most(amounts: (number | undefined)[]): bigint {
  return BigInt(Math.max(0, ...amounts.map((amount) => amount ?? 0)))
}
