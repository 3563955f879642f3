import type { StripeObject } from './stripe-object.ts'

// Control characters, lone surrogates and the like cannot be what a shop calls an order.
const VALID_ORDER_ID = /^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u

type Naming = Partial<Pick<StripeObject, 'metadata' | 'client_reference_id'>>

/** The order that an object names: the first of the configured metadata keys with a valid value, else a session's `client_reference_id`. */
export function findOrderId(object: Naming, orderKeys: string[]): string | undefined {
  const named = orderKeys.filter((key) => Object.hasOwn(object.metadata ?? {}, key)).map((key) => object.metadata?.[key])
  return [...named, object.client_reference_id].find(isOrderId)
}

function isOrderId(value: unknown): value is string {
  return typeof value === 'string' && VALID_ORDER_ID.test(value) && value.trim() !== ''
}
