import type { HandledChange, HandledEvent, HandlerTransaction } from '../../src/handlers.ts'
import type { Json } from './api.ts'

/** What an error can carry: an e-mail, a secret, the whole object as JSON. */
type Values = { email: string; secret: string; payload: string }
type Way = (tx: HandlerTransaction, values: Values) => unknown

/** Ways in which a shop's handler can fail so that its error holds what it failed on. */
const WAYS: Record<string, Way> = {
  check: (tx, { email }) => tx.query('insert into shop_rows (email, amount) values ($1, 0)', [email]),
  unique: (tx, { email }) => tx.query('insert into shop_rows (email, amount) values ($1, 1), ($1, 2)', [email]),
  value: (tx, { email }) => tx.query('select $1::text::int', [email]),
  raised: (tx, { email, secret }) => tx.query('select refuse_row($1, $2)', [email, secret]),
  unknown: (tx, { email }) => tx.query(`select "${email}"`),
  message: (_tx, { payload }) => fail(new Error(`Cannot handle ${payload}`)),
  text: (_tx, { payload }) => fail(payload),
  object: (_tx, { payload }) => fail(JSON.parse(payload)),
  nothing: () => fail(undefined),
  prisma: (_tx, { payload }) => fail(named('PrismaClientKnownRequestError', `\nInvalid \`order.create(${payload})\` invocation`)),
  json: (_tx, { email }) => JSON.parse(`[${email}]`),
  property: (_tx, { secret }) => (undefined as Json)[secret],
  name: (_tx, { secret }) => fail(named(secret, 'Named')),
  code: (_tx, { secret }) => fail(Object.assign(new Error('Coded'), { code: secret })),
  stack: (_tx, { email }) => fail(Object.assign(new TypeError('Stacked'), { stack: `Stacked\n    at ${email} (${email}.js:1:1)` })),
  cause: (_tx, { payload }) => fail(new Error('Caused', { cause: new Error(payload) })),
  several: (_tx, { payload }) => fail(new AggregateError([new Error(payload)], payload)),
  address: (_tx, { email, secret }) => fetch(`http://${secret}:${email}@127.0.0.1:1/`),
}

/** `metadata.way` of an event chooses one. */
export const ways = Object.keys(WAYS)

/** The tables that they fail on. */
export const shopSchema = `
  create table shop_rows (email text unique, amount int check (amount > 0));
  create function refuse_row(email text, secret text) returns void language plpgsql as $$ begin
    raise exception 'row % refused', email using detail = secret, hint = secret;
  end $$`

export async function onEvent(tx: HandlerTransaction, { payload }: HandledEvent): Promise<void> {
  const object = (payload as Json)?.data?.object
  const way = WAYS[object?.metadata?.way]
  await way?.(tx, { email: object.receipt_email, secret: object.client_secret, payload: JSON.stringify(object, null, 2) })
}

export function onOrderChange(_tx: HandlerTransaction, { order_id, order }: HandledChange): void {
  if (order_id.startsWith('refused')) throw new Error(`Cannot change ${order_id}: ${JSON.stringify(order, null, 2)}`)
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name })
}

function fail(reason: unknown): never {
  throw reason
}
