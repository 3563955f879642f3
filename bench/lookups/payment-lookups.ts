import { listLookup } from './lookup.ts'

export const PAYMENT_LOOKUPS = [listLookup('/api/payments', 'unmatched', () => ({ unmatched: 'true' }))]
