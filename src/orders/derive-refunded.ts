import type { PaymentParts } from './group-objects.ts'
import type { Heard } from './heard.ts'
import type { LedgerObject } from './ledger.ts'

/** What went back to the customer by refunds: over all charges of a payment, or what the payment itself says if that is more. */
export function deriveRefunded({ intent, charges, refunds }: PaymentParts): bigint {
  const keys = new Set([...charges.map(({ key }) => key), ...refunds.keys()])
  let sum = 0n
  for (const key of keys) {
    sum += refundedOfCharge(charges.find((charge) => charge.key === key)?.heard ?? {}, refunds.get(key) ?? [])
  }
  const whole = intent?.heard.refundedSeen ? refundedOfCharge(intent.heard, [...refunds.values()].flat()) : 0n
  return whole > sum ? whole : sum
}

/** Two views of the same money, each of which can lack what the other has: the refunds one by one, and the charge's own sum. */
function refundedOfCharge(charge: Heard, refunds: LedgerObject[]): bigint {
  const byId = sumById(refunds, charge.released ?? 0)
  return (charge.refundedSeen ?? []).reduce((most, [amount, at]) => {
    const seen = BigInt(amount) - failedSince(refunds, at)
    return seen > most ? seen : most
  }, byId)
}

function sumById(refunds: LedgerObject[], released: number): bigint {
  const standing = refunds.filter((refund) => !hasFailed(refund))
  // What was never captured may have come as a refund; there is at most one such, made at the capture.
  const release = released > 0 ? [...standing].sort(byStart).find((refund) => amountOf(refund) === BigInt(released)) : undefined
  return standing.reduce((sum, refund) => (refund === release ? sum : sum + amountOf(refund)), 0n)
}

/** Refunds that were in the charge's sum at that time and came back afterwards; of one second the larger sum is known, which is from before. */
function failedSince(refunds: LedgerObject[], at: string): bigint {
  const failed = refunds.filter((refund) => hasFailed(refund) && startOf(refund) <= at && endOf(refund) >= at)
  return failed.reduce((sum, refund) => sum + amountOf(refund), 0n)
}

function hasFailed({ heard }: LedgerObject): boolean {
  return heard.state?.[0] === 1
}

export function amountOf({ heard }: LedgerObject): bigint {
  return BigInt(heard.money?.[3] ?? 0)
}

function startOf({ heard }: LedgerObject): string {
  return heard.startedAt ?? heard.firstAt ?? ''
}

function endOf({ heard }: LedgerObject): string {
  return heard.endedAt ?? ''
}

function byStart(left: LedgerObject, right: LedgerObject): number {
  return startOf(left) < startOf(right) || (startOf(left) === startOf(right) && left.key < right.key) ? -1 : 1
}
