import type { InvoiceParts, PaymentParts } from './group-objects.ts'
import type { Stamp } from './heard.ts'
import type { LedgerObject } from './ledger.ts'
import { compareStamps } from './merge-heard.ts'

/** The order that a payment is for, and the orders that were named beside it while no person decided. */
export type Claim = { orderId: string | null; rivalOrderIds: string[] }

/** `levels` from the most to the least trusted; a link on any of `linkable` is what a person decided. */
type Claims = { linkable: LedgerObject[]; levels: LedgerObject[][] }

export function claimOfPayment({ intent, charges, checkouts, invoices, refunds, disputes }: PaymentParts): Claim {
  const own = intent ? [intent] : []
  const groups = invoices.flatMap(({ invoice, checkouts: its }) => [invoice, ...its])
  return decide({
    linkable: [...own, ...charges, ...checkouts, ...[...refunds.values()].flat(), ...disputes, ...groups],
    levels: [own, charges, [...checkouts, ...groups]],
  })
}

export function claimOfInvoice({ invoice, checkouts }: InvoiceParts): Claim {
  return decide({ linkable: [invoice, ...checkouts], levels: [[invoice, ...checkouts]] })
}

function decide({ linkable, levels }: Claims): Claim {
  const link = linkable
    .flatMap(({ heard }) => (heard.link ? [heard.link] : []))
    .sort(compareStamps)
    .at(-1)
  if (link) return { orderId: orderOf(link), rivalOrderIds: [] }
  const named = levels.map((level) => level.flatMap(({ heard }) => (heard.claim ? [orderOf(heard.claim)] : [])).sort())
  const orderId = named.find((orderIds) => orderIds.length > 0)?.[0] ?? null
  return { orderId, rivalOrderIds: [...new Set(named.flat())].filter((other) => other !== orderId).sort() }
}

function orderOf(stamp: Stamp): string {
  return stamp[2] as string
}
