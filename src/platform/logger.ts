import { inspect } from 'node:util'
import winston from 'winston'

/** Logs are events with fields: a `noun.past-participle` name and the ids that belong to it. */
export type LogFields = Record<string, unknown>
export type Logger = {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}

export type LoggerOptions = { level: string; format: 'pretty' | 'json' }

export function createLogger(options: LoggerOptions): Logger {
  const logger = winston.createLogger({
    level: options.level,
    format: options.format === 'pretty' ? prettyFormat() : jsonFormat(),
    transports: [new winston.transports.Console()],
  })
  const write =
    (level: string) =>
    (event: string, fields: LogFields = {}) => {
      logger.log({ level, message: event, fields })
    }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

function jsonFormat() {
  return winston.format.printf(({ level, message, fields }) =>
    JSON.stringify({ time: new Date().toISOString(), level, event: message, ...(fields as LogFields) }, replaceUnprintable),
  )
}

function prettyFormat() {
  const colorize = winston.format.colorize()
  return winston.format.printf(({ level, message, fields }) => {
    const time = new Date().toISOString().slice(11, 23)
    const rest = Object.entries(fields as LogFields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${printable(value)}`)
    return [`${time}Z`, colorize.colorize(level, level.padEnd(5)), String(message), ...rest].join(' ')
  })
}

/** What a sender wrote may reach a log line; a terminal must not obey it. */
export function escapeControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

function printable(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? inspect(value, { breakLength: Infinity }) : String(value)
  return /^[\w.:/@+-]*$/.test(text) ? text : `"${escapeControls(text.replace(/["\\]/g, '\\$&'))}"`
}

function replaceUnprintable(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
