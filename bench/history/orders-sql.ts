import { UNMATCHED_EVERY } from './history.ts'

/**
 * Each order has one payment, of a payment intent and a charge, and no order claims every twentieth payment. Rare are the status
 * `charged_back` and the flag `overpaid`.
 */
export const INSERT_ORDERS = [
  `insert into sluice.orders (order_id, status, currency, paid_minor, flags, created_at, updated_at)
   select 'ord_' || id,
     case when o % 100 = 9 then 'disputed' when o % 10 = 8 then 'refunded' when o % 1000 = 11 then 'charged_back' else 'paid' end, 'USD', 2000,
     case when o % 2 = 0 then '{unregistered}' when o % 20 = 3 then '{amount_mismatch}' when o % 500 = 21 then '{overpaid}' else '{}' end::text[],
     at, at
   from chunk where step = 2`,
  `insert into sluice.payment_objects (provider, object_key, cluster_key, heard)
   select provider, object_key, 'payment/pi_' || id, heard from chunk, lateral (values
     ('payment/pi_' || id, jsonb_build_object('firstAt', at, 'succeededAt', at, 'received', 2000,
       'claim', jsonb_build_array(at, 'evt_1', 'ord_' || id), 'money', jsonb_build_array(at, 'evt_1', 'USD', 2000))),
     ('charge/ch_' || id, jsonb_build_object('firstAt', at, 'related', jsonb_build_array('payment/pi_' || id)))) k(object_key, heard)
   where step = 2`,
  `insert into sluice.payments (provider, payment_id, object_key, order_id, rival_order_ids, status, state, state_at, first_at, currency,
     amount_minor, received_minor, refunded_minor, disputed_minor, charged_back_minor, flags, created_at, updated_at)
   select provider, 'pi_' || id, 'payment/pi_' || id, case when o % ${UNMATCHED_EVERY} <> 15 then 'ord_' || id end, '{}', 'succeeded', 'succeeded', at, at, 'USD',
     2000, 2000, 0, 0, 0, '{}', at, at
   from chunk where step = 2`,
  `insert into sluice.order_history (order_id, at, "from", "to", message_id, fact)
   select 'ord_' || id, at, 'pending', 'paid', message_id, 'payment.succeeded' from chunk where step = 2
   union all
   select 'ord_' || id, at, 'paid', 'refunded', message_id, 'refund.updated' from chunk where type = 'refund.created'`,
]
