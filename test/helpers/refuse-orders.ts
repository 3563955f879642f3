import type pg from 'pg'

/** Orders that the database refuses, as a bug in their update would: deterministic, and mended by a statement. */
export type RefusedOrders = { refuse(orderId: string): Promise<void>; accept(orderId: string): Promise<void> }

export async function refuseOrders(pool: pg.Pool): Promise<RefusedOrders> {
  await pool.query(`
    create table sluice.refused_orders (order_id text);
    create function sluice.refuse_order() returns trigger language plpgsql as $$ begin
      if exists (select from sluice.refused_orders r where r.order_id = new.order_id) then raise exception 'the order update is broken'; end if;
      return new;
    end $$;
    create trigger refuse_order before insert or update on sluice.orders for each row execute function sluice.refuse_order()`)
  return {
    async refuse(orderId) {
      await pool.query('insert into sluice.refused_orders values ($1)', [orderId])
    },
    async accept(orderId) {
      await pool.query('delete from sluice.refused_orders where order_id = $1', [orderId])
    },
  }
}
