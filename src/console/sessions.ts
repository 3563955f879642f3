import { randomBytes } from 'node:crypto'
import connectPgSimple from 'connect-pg-simple'
import type { Request, RequestHandler } from 'express'
import session from 'express-session'
import type { Caller } from '../caller.ts'
import type { NamedToken } from '../config.ts'
import { sha256 } from '../config.ts'
import type { Context } from '../context.ts'

declare module 'express-session' {
  interface SessionData {
    caller: Caller
  }
}

export type Sessions = { handler: RequestHandler; stop(): void }

const SESSION_MS = 12 * 60 * 60 * 1000
const PRUNE_SECONDS = 15 * 60

/** Sessions end after twelve hours, and all of them when a token is added or taken away. They live in the database, so any process knows them. */
export function createSessions({ config, db, logger }: Pick<Context, 'config' | 'db' | 'logger'>): Sessions {
  const Store = connectPgSimple(session)
  const store = new Store({
    pool: db.pool,
    schemaName: config.database.schema,
    tableName: 'console_sessions',
    // A session that is used must not live longer for it.
    disableTouch: true,
    pruneSessionInterval: PRUNE_SECONDS,
    errorLog: (...parts) => logger.warn('session.store.failed', { error: String(parts[0]) }),
  })
  const handler = session({
    name: 'sluice_console',
    secret: cookieSecret(config.tokens),
    store,
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'strict', secure: 'auto', path: '/console', maxAge: SESSION_MS },
  })
  return { handler, stop: () => store.close() }
}

/** Starts the session of a caller who proved who they are, by whatever way; under a new id, so that none planted before is of use. */
export async function beginSession(request: Request, caller: Caller): Promise<void> {
  await new Promise<void>((resolve, reject) => request.session.regenerate((error) => (error ? reject(error) : resolve())))
  request.session.caller = caller
  await new Promise<void>((resolve, reject) => request.session.save((error) => (error ? reject(error) : resolve())))
}

export async function endSession(request: Request): Promise<void> {
  await new Promise<void>((resolve, reject) => request.session.destroy((error) => (error ? reject(error) : resolve())))
}

/** The same in every process of one configuration, and another as soon as a token changes. */
function cookieSecret(tokens: NamedToken[]): string {
  if (tokens.length === 0) return randomBytes(32).toString('hex')
  const known = tokens.map(({ name, role, sha256: digest }) => `${role} ${name} ${digest.toString('hex')}`).sort()
  return sha256(`console session ${known.join()}`).toString('hex')
}
