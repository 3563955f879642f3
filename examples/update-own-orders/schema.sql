create table if not exists shop_orders (
  order_id text primary key,
  status text not null,
  paid_minor bigint not null,
  currency text,
  sequence int not null
);

create table if not exists shop_deleted_customers (
  customer_id text primary key,
  event_id text not null
);
