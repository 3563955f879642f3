import { DeliveryRefusedError } from '../../src/providers/provider.ts'

/** The refusal that `act` throws; anything else it throws, or that it throws nothing, fails the test. */
export function catchRefusal(act: () => unknown): DeliveryRefusedError {
  try {
    act()
  } catch (error) {
    if (error instanceof DeliveryRefusedError) return error
    throw error
  }
  throw new Error('Expected a DeliveryRefusedError, but nothing was thrown')
}
