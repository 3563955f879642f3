import type pg from 'pg'

export const EVENTS = 100_000

/**
 * A day of events, about one a second, and what hangs on them, as the statistics and the visibility map describe it after
 * autovacuum has passed. Of each kind of value there is a frequent one, and a rare one that five rows have. Written by
 * SQL, since no test can wait for so many deliveries.
 */
export async function generateHistory(pool: pg.Pool): Promise<void> {
  for (const statement of STATEMENTS) await pool.query(statement)
  for (const table of LARGE_TABLES) await pool.query(`vacuum analyze ${table}`)
}

const LARGE_TABLES = [
  'sluice.webhook_events',
  'sluice.event_bodies',
  'sluice.event_references',
  'sluice.event_attempts',
  'sluice.orders',
  'sluice.payment_objects',
  'sluice.payments',
  'sluice.order_history',
  'sluice.audit_log',
  'sluice_queue.job_common',
]

// The type `retired` and the flag `refunded_late` are frequent, but only the oldest rows have them. What only look-ups by
// an id read is there for the oldest quarter.
const STATEMENTS = [
  `insert into sluice.webhook_events (message_id, provider, event_id, type, livemode, status, received_at, processed_at, secret_name, correlation_id)
   select uuidv7(make_interval(secs => i - ${EVENTS})),
     case when i % 20000 = 1 then 'rare' else 'stripe' end,
     'evt_' || i,
     case when i % 20000 = 2 then 'rare' when i % 2 = 0 then 'payment_intent.succeeded' when i < 10000 then 'retired' else 'other' end,
     i % 20000 <> 3,
     case when i % 20000 = 4 then 'dead' when i % 10 = 5 then 'ignored' else 'processed' end,
     at, at, 'test', 'c_' || i
   from generate_series(1, ${EVENTS}) i, lateral (select now() + make_interval(secs => i - ${EVENTS}) as at) t`,
  `insert into sluice.event_references (message_id, kind, value)
   select message_id, kind, value from (select message_id, substr(event_id, 5)::int as i from sluice.webhook_events) e, lateral (values
     ('payment_intent', 'pi_' || i),
     ('customer', case when i % 20000 = 6 then 'cus_rare' when i % 2 = 0 then 'cus_frequent' else 'cus_' || i % 1000 end),
     ('order', case when i % 10 = 0 then 'ord_frequent' else 'ord_' || i / 4 end)) v(kind, value)`,
  `insert into sluice.event_bodies (message_id, body, received_at) select message_id, '{}', received_at
   from sluice.webhook_events where substr(event_id, 5)::int <= ${EVENTS / 4}`,
  `insert into sluice.event_attempts (message_id, job_id, attempt, started_at, outcome)
   select message_id, message_id, 1, received_at, 'succeeded'
   from sluice.webhook_events where substr(event_id, 5)::int <= ${EVENTS / 4}`,
  `insert into sluice.orders (order_id, status, currency, paid_minor, flags, created_at, updated_at)
   select 'ord_' || i, case when i % 10000 = 7 then 'charged_back' else 'paid' end, 'USD', 2000,
     case when i % 10000 = 8 then '{overpaid}' when i % 2 = 0 then '{unregistered}' when i < 2000 then '{refunded_late}' else '{}' end::text[], at, at
   from generate_series(1, ${EVENTS / 2}) i, lateral (select now() + make_interval(secs => 2 * i - ${EVENTS}) as at) t`,
  `insert into sluice.payment_objects (provider, object_key, cluster_key, heard)
   select 'stripe', 'payment/pi_' || i, 'payment/pi_' || i, jsonb_build_object('succeededAt', '2026-01-01T00:00:00.000Z',
     'firstAt', '2026-01-01T00:00:00.000Z', 'received', 2000, 'claim', jsonb_build_array('2026-01-01T00:00:00.000Z', 'evt_1', 'ord_' || i),
     'money', jsonb_build_array('2026-01-01T00:00:00.000Z', 'evt_1', 'USD', 2000)) from generate_series(1, ${EVENTS / 2}) i`,
  `insert into sluice.payments (provider, payment_id, object_key, order_id, rival_order_ids, status, state, state_at, first_at, currency,
     amount_minor, received_minor, refunded_minor, disputed_minor, charged_back_minor, flags, created_at, updated_at)
   select 'stripe', 'pi_' || i, 'payment/pi_' || i, case when i % 10000 <> 9 then 'ord_' || i end, '{}', 'succeeded', 'succeeded', at, at, 'USD',
     2000, 2000, 0, 0, 0, '{}', at, at
   from generate_series(1, ${EVENTS / 2}) i, lateral (select now() + make_interval(secs => 2 * i - ${EVENTS}) as at) t`,
  `insert into sluice.order_history (order_id, at, "from", "to", message_id)
   select 'ord_' || substr(event_id, 5)::int / 4, received_at, 'pending', 'paid', message_id from sluice.webhook_events`,
  `insert into sluice.audit_log (at, actor, action, subject, correlation_id)
   select now(), case when i % 10000 = 1 then 'rare' else 'olga' end, case when i % 10000 = 2 then 'rare' else 'event.replayed' end, '{}', 'c'
   from generate_series(1, ${EVENTS / 2}) i`,
  `insert into sluice_queue.job (id, name, data, state, completed_on, policy)
   select message_id, 'process-event', '{}', 'completed', received_at, 'standard'
   from sluice.webhook_events where substr(event_id, 5)::int <= ${EVENTS / 4}`,
]
