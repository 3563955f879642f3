import { EVENTS_OF_AN_ORDER } from './history.ts'

// Spread over their index, as those of the deliveries are.
const EVENT_ID = `'evt_' || substr(md5(i::text), 1, 24)`

// pg-boss keeps jobs that have ended for a day.
const KEPT_JOBS = 86_400

/**
 * The events of one chunk with what the statements below ask of them. Most things are frequent, some are rare, and one
 * customer has every twentieth order.
 */
export function selectChunk(from: number, to: number, events: number): string {
  return `create temp table chunk on commit drop as
    select e.*, uuid_extract_timestamp(message_id) as at,
      lpad(o::text, 12, '0') as id,
      case when o % 20 = 5 then 'guest' else lpad((o - o % 5)::text, 12, '0') end as customer,
      case when o % 20 = 7 then 'adyen' else 'stripe' end as provider,
      o % 50 <> 3 as livemode,
      case
        when step = 0 then 'payment_intent.created'
        when step = 1 then 'charge.succeeded'
        when step = 2 then 'payment_intent.succeeded'
        when step = 3 then 'checkout.session.completed'
        when o % 100 = 9 then 'charge.dispute.created'
        when o % 10 = 8 then 'refund.created'
        when o % 10 in (6, 7) then 'invoice.paid'
        else 'customer.updated' end as type
    from (
      select i, i / ${EVENTS_OF_AN_ORDER} as o, i % ${EVENTS_OF_AN_ORDER} as step, uuidv7(make_interval(secs => i - ${events})) as message_id
      from generate_series(${from}, ${to - 1}) i
    ) e`
}

/** Bodies are short: what is looked up and what is written grows with their number, and the disk fills with their size. */
export function insertEvents(events: number): string[] {
  return [
    `insert into sluice.webhook_events (message_id, provider, event_id, type, livemode, api_version, status, reason, occurred_at, received_at,
       processed_at, secret_name, correlation_id)
     select message_id, provider, ${EVENT_ID}, type, livemode, '2026-10-28.endive',
       case when i % 10007 = 0 then 'dead' when i % 1009 = 0 then 'parked' when type = 'customer.updated' then 'ignored' else 'processed' end,
       case when type = 'customer.updated' then 'type_not_handled' end, at, at, at, 'bench', message_id
     from chunk`,
    `insert into sluice.event_bodies (message_id, api_version, body, received_at)
     select message_id, '2026-10-28.endive', convert_to(json_build_object('id', i, 'type', type, 'data', repeat('x', 100))::text, 'UTF8'), at
     from chunk`,
    `insert into sluice.event_attempts (message_id, job_id, attempt, started_at, finished_at, outcome)
     select message_id, message_id, 1, at, at, 'succeeded' from chunk`,
    `insert into sluice.event_references (message_id, kind, value)
     select message_id, kind, value from chunk, lateral (values
       ('payment_intent', case when step < 4 or type in ('refund.created', 'charge.dispute.created') then 'pi_' || id end),
       ('charge', case when type in ('charge.succeeded', 'payment_intent.succeeded', 'refund.created', 'charge.dispute.created') then 'ch_' || id end),
       ('checkout_session', case when step = 3 then 'cs_' || id end),
       ('invoice', case when type = 'invoice.paid' then 'in_' || id end),
       ('subscription', case when type = 'invoice.paid' then 'sub_' || id end),
       ('refund', case when type = 'refund.created' then 're_' || id end),
       ('dispute', case when type = 'charge.dispute.created' then 'dp_' || id end),
       ('order', case when type not in ('customer.updated', 'invoice.paid') then 'ord_' || id end),
       ('email', case when step < 4 or type = 'customer.updated' then 'customer-' || customer || '@example.com' end),
       ('customer', case when type not in ('refund.created', 'charge.dispute.created') then 'cus_' || customer end)) r(kind, value)
     where value is not null`,
    `insert into sluice_queue.job (id, name, data, state, created_on, started_on, completed_on, policy)
     select message_id, 'process-event', json_build_object('message_id', message_id, 'correlation_id', message_id), 'completed', at, at, at, 'standard'
     from chunk where i >= ${events - KEPT_JOBS}`,
  ]
}

/** A number of events that stand equally far apart. */
export function selectSample(count: number, events: number): string {
  return `select message_id as "messageId", event_id as "eventId" from sluice.webhook_events
    where event_id in (select ${EVENT_ID} from (select n * ${Math.floor(events / count)} as i from generate_series(0, ${count - 1}) n) s)
    order by message_id`
}
