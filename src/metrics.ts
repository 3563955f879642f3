import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from './platform/database.ts'

const LATENCY_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const PROCESSING_BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 60, 300, 1800, 7200, 43_200, 86_400]
const ATTEMPT_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60]
const BATCH_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200]

export type Metrics = ReturnType<typeof createMetrics>

/** What one process tells Prometheus. Times are seconds. */
export function createMetrics(db: Pick<Database, 'pool'>) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'sluice_pool_connections',
    help: 'Connections of the database pool, and callers that wait for one',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'total' }, db.pool.totalCount)
      this.set({ state: 'idle' }, db.pool.idleCount)
      this.set({ state: 'waiting' }, db.pool.waitingCount)
    },
  })
  return {
    registry,
    deliveries: new Counter({
      name: 'sluice_deliveries_total',
      help: 'Deliveries by provider, outcome (accepted, duplicate, refused, unavailable) and the code of the refusal',
      labelNames: ['provider', 'outcome', 'code'],
      registers,
    }),
    ingestSeconds: new Histogram({
      name: 'sluice_ingest_seconds',
      help: 'From the first byte of a delivery to its answer, by outcome',
      labelNames: ['outcome'],
      buckets: LATENCY_BUCKETS_SECONDS,
      registers,
    }),
    commitBatchSize: new Histogram({
      name: 'sluice_commit_batch_size',
      help: 'Deliveries in one commit',
      buckets: BATCH_BUCKETS,
      registers,
    }),
    processingSeconds: new Histogram({
      name: 'sluice_processing_seconds',
      help: 'From the arrival of an event to its end, by the status it got',
      labelNames: ['status'],
      buckets: PROCESSING_BUCKETS_SECONDS,
      registers,
    }),
    processBatchSize: new Histogram({ name: 'sluice_process_batch_size', help: 'Jobs in one batch', buckets: BATCH_BUCKETS, registers }),
    failedAttempts: new Counter({ name: 'sluice_failed_attempts_total', help: 'Attempts of jobs that failed', registers }),
    messageAttemptSeconds: new Histogram({
      name: 'sluice_message_attempt_seconds',
      help: 'Attempts to deliver an order message to a receiver, by outcome (delivered, failed)',
      labelNames: ['outcome'],
      buckets: ATTEMPT_BUCKETS_SECONDS,
      registers,
    }),
    deadMessages: new Counter({
      name: 'sluice_dead_messages_total',
      help: 'Order messages that could not be delivered to a receiver in time',
      registers,
    }),
    deadEvents: new Counter({ name: 'sluice_dead_events_total', help: 'Events that failed every attempt', registers }),
  }
}
