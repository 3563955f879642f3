import { type Lookup, listLookup } from './lookup.ts'

/** Every page that reads more than one row. */
export const CONSOLE_PAGES: Lookup[] = [
  listLookup('/console/events', 'events', () => ({})),
  listLookup('/console/events', 'dead events', () => ({ status: 'dead' })),
  listLookup('/console/events', 'parked events', () => ({ status: 'parked' })),
  { name: 'event', path: ({ event }) => `/console/events/${event.messageId}` },
  { name: 'event with its payload', path: ({ event }) => `/console/events/${event.messageId}?payload=shown` },
  { name: 'orders', path: () => '/console/orders' },
  { name: 'order', path: ({ order }) => `/console/orders/ord_${order()}` },
  { name: 'unmatched payments', path: () => '/console/payments' },
  { name: 'messages', path: () => '/console/messages' },
  { name: 'audit', path: () => '/console/audit' },
  { name: 'health, last hour', path: () => '/console/health?range=hour' },
  { name: 'health, last week', path: () => '/console/health?range=week' },
  listLookup('/console/search', 'search: order', ({ order }) => ({ q: `ord_${order()}` })),
  listLookup('/console/search', 'search: payment intent', ({ order }) => ({ q: `pi_${order()}` })),
  listLookup('/console/search', 'search: e-mail', ({ order }) => ({ q: `customer-${order(5)}@example.com` })),
  listLookup('/console/search', 'search: how an id begins', ({ order }) => ({ q: `pi_${order().slice(0, 4)}` })),
  listLookup('/console/search', 'search: evt_', () => ({ q: 'evt_' })),
  listLookup('/console/search', 'search: nothing', () => ({ q: 'pi_unknown' })),
  listLookup('/console/replays/new', 'how many dead events a replay is for', () => ({ status: 'dead' })),
]
