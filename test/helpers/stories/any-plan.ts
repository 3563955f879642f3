import fc from 'fast-check'
import { type Aftermath, type DisputeCourse, KINDS, type Naming, type PaymentPlan, type RefundCourse, type StoryPlan } from './plan.ts'
import { EVENT_TYPES } from './story.ts'

const OLD_VERSIONS = ['2018-11-08', '2022-08-01', '2024-06-20']
const BASIL_VERSIONS = ['2025-03-31.basil', '2026-10-28.endive']
const CURRENCIES = [...Array<string>(10).fill('usd'), 'jpy', 'kwd']

const ALL = 1000

const anyShare = fc.constantFrom(1, 1, 0.5, 0.3)
const anyRefund: fc.Arbitrary<Aftermath> = fc.record({
  kind: fc.constant('refund' as const),
  course: fc.constantFrom<RefundCourse>('at_once', 'pending', 'fails', 'fails_after_success', 'canceled'),
  share: anyShare,
  isFewEvents: fc.boolean(),
})
const anyDispute: fc.Arbitrary<Aftermath> = fc.record({
  kind: fc.constant('dispute' as const),
  course: fc.constantFrom<DisputeCourse>(
    'won',
    'lost',
    'open',
    'inquiry',
    'closed_inquiry',
    'inquiry_then_lost',
    'inquiry_then_won',
    'charge_refunded',
    'prevented',
  ),
  share: anyShare,
})

const anyVersions = fc
  .tuple(fc.boolean(), fc.constantFrom(...OLD_VERSIONS), fc.constantFrom(...BASIL_VERSIONS))
  .map(([isOld, old, basil]) => (isOld ? { apiVersion: old, otherVersion: basil } : { apiVersion: basil, otherVersion: old }))

const anyPayment: fc.Arbitrary<PaymentPlan> = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    order: fc.constantFrom(0, 0, 0, 0, 1),
    naming: fc.constantFrom<Naming>('own', 'own', 'own', 'wrapper', 'wrapper', 'wrapper', 'both', 'conflicting', 'none'),
    amount: fc.constantFrom(1000, 1000, 1000, 500, 2000),
    currency: fc.constantFrom(...CURRENCIES),
    account: fc.constantFrom(null, null, null, null, 'acct_ours', 'acct_theirs'),
    livemode: fc.constantFrom(...Array<boolean>(9).fill(true), false),
    startsAfterSeconds: fc.constantFrom(0, 0, 1, 5, 100),
    gapsSeconds: fc.array(fc.constantFrom(0, 0, 1, 1, 2, 30, 3600), { minLength: 1, maxLength: 6 }),
    failedAttempts: fc.constantFrom(0, 0, 1, 2),
    billingReason: fc.constantFrom('manual', 'manual', 'subscription_create', 'subscription_create', 'subscription_cycle'),
    isVariant: fc.boolean(),
    endsAfter: fc.constantFrom(...Array<number>(9).fill(ALL), 2, 3, 5),
    aftermath: fc.array(fc.oneof({ weight: 2, arbitrary: anyRefund }, { weight: 1, arbitrary: anyDispute }), { maxLength: 3 }),
  })
  .chain((rest) => anyVersions.map((versions) => ({ ...rest, ...versions, naming: fitNaming(rest) })))

/** What there is of the payment names the order. */
function fitNaming({ kind, naming }: Pick<PaymentPlan, 'kind' | 'naming'>): Naming {
  if (naming === 'wrapper' && !/session|invoice/.test(kind)) return 'own'
  return naming === 'own' && /expired_session|free|voided/.test(kind) ? 'wrapper' : naming
}

const anyRegistration = fc.record({
  order: fc.constantFrom(0, 0, 0, 1),
  expectedMinor: fc.constantFrom(1000, 1000, 2000, 500, 0),
  currency: fc.constantFrom(...Array<string>(7).fill('USD'), 'JPY'),
  account: fc.constantFrom(null, null, null, 'acct_ours'),
  place: fc.constantFrom(0, 25, 50, 75, 100),
})

/** What happens in a story; `tellStory` makes the events of it. */
export const anyPlan: fc.Arbitrary<StoryPlan> = fc.record({
  seed: fc.nat(),
  payments: fc.array(anyPayment, { minLength: 1, maxLength: 4 }),
  registrations: fc.uniqueArray(anyRegistration, { maxLength: 2, selector: ({ order }) => order }),
  links: fc.oneof(
    { weight: 2, arbitrary: fc.constant<StoryPlan['links']>([]) },
    {
      weight: 1,
      arbitrary: fc.array(fc.record({ target: fc.nat(99), order: fc.nat(2), place: fc.nat(100) }), { minLength: 1, maxLength: 2 }),
    },
  ),
  unsubscribed: fc.oneof(
    { weight: 3, arbitrary: fc.constant<string[]>([]) },
    { weight: 2, arbitrary: fc.subarray<string>([...EVENT_TYPES], { maxLength: 6 }) },
  ),
  lost: fc.oneof({ weight: 2, arbitrary: fc.constant<number[]>([]) }, { weight: 1, arbitrary: fc.array(fc.nat(99), { maxLength: 5 }) }),
  twice: fc.oneof({ weight: 1, arbitrary: fc.constant<number[]>([]) }, { weight: 1, arbitrary: fc.array(fc.nat(99), { maxLength: 3 }) }),
})
