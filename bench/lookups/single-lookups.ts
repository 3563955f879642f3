import type { Lookup } from './lookup.ts'

export const SINGLE_LOOKUPS: Lookup[] = [
  { name: "event by the provider's id", path: ({ event }) => `/api/events/${event.eventId}` },
  { name: 'event by the message id', path: ({ event }) => `/api/events/${event.messageId}` },
  { name: 'payload', path: ({ event }) => `/api/events/${event.messageId}/payload` },
  { name: 'job', path: ({ event }) => `/api/jobs/${event.messageId}` },
  { name: 'order', path: ({ order }) => `/api/orders/ord_${order()}` },
  { name: 'queues', path: () => '/api/queues' },
]
