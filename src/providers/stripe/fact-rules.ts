import { CHARGE_RULES } from './charge-facts.ts'
import { CHECKOUT_RULES } from './checkout-facts.ts'
import { DISPUTE_RULES } from './dispute-facts.ts'
import type { FactRule } from './fact-reader.ts'
import { INTENT_RULES } from './intent-facts.ts'
import { INVOICE_RULES } from './invoice-facts.ts'
import { REFUND_RULES } from './refund-facts.ts'

/** Every type that has a meaning for money. A Map, since a sender may call an event `constructor`. */
export const FACT_RULES: ReadonlyMap<string, FactRule> = new Map(
  Object.entries({ ...INTENT_RULES, ...CHARGE_RULES, ...REFUND_RULES, ...DISPUTE_RULES, ...CHECKOUT_RULES, ...INVOICE_RULES }),
)
