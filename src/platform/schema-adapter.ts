import { PrismaPg } from '@prisma/adapter-pg'
import { ColumnTypeEnum, type SqlDriverAdapter } from '@prisma/driver-adapter-utils'
import pg from 'pg'

const CHAR = 18
// No column of the catalog is money, so on the way to the engine it can stand for "char".
const MONEY = 790

/**
 * Prisma's adapter for its schema engine, which reads PostgreSQL's catalog: some columns there are of the type "char",
 * which @prisma/adapter-pg 7.10 refuses although the engine wants it.
 */
export class SchemaAdapter extends PrismaPg {
  readonly #opened: SqlDriverAdapter[] = []

  constructor(config: pg.PoolConfig, schema: string) {
    super({ ...config, Client: SchemaClient }, { schema })
  }

  override async connect() {
    const adapter = withCharColumns(await super.connect())
    this.#opened.push(adapter)
    return adapter
  }

  override async connectToShadowDb() {
    return withCharColumns(await super.connectToShadowDb())
  }

  /** The engine leaves its connections open. */
  async close(): Promise<void> {
    await Promise.all(this.#opened.map((adapter) => adapter.dispose()))
  }
}

function withCharColumns<Adapter extends SqlDriverAdapter>(adapter: Adapter): Adapter {
  const queryRaw = adapter.queryRaw.bind(adapter)
  adapter.queryRaw = async (query) => {
    const result = await queryRaw(query)
    return { ...result, columnTypes: result.columnTypes.map((type) => (type === ColumnTypeEnum.Numeric ? ColumnTypeEnum.Character : type)) }
  }
  return adapter
}

type Result = pg.QueryResult | undefined
type Callback = (error: Error | null, result: Result) => void
type Query = (...args: unknown[]) => Promise<Result>

class SchemaClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the driver overloads this in eight ways, and all of them end here
  override query(...args: any[]): any {
    const query = super.query as unknown as Query
    const callback = args.at(-1)
    if (typeof callback !== 'function') return query.apply(this, args).then(withMoneyForChar)
    return query.call(this, ...args.slice(0, -1), ((error, result) => callback(error, withMoneyForChar(result))) satisfies Callback)
  }
}

function withMoneyForChar(result: Result): Result {
  for (const field of result?.fields ?? []) if (field.dataTypeID === CHAR) field.dataTypeID = MONEY
  return result
}
