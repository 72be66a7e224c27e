import { createLogger as createWinston, format, transports, type Logger as WinstonLogger } from 'winston'
import { redact, redactText } from './redact'

/**
 * `event` is a dotted name of what happened (`sweep.completed`); the rest are ids, counts and reasons. Never payloads
 * or addresses of people. An Error belongs under `error`.
 */
export interface LogFields {
  readonly event?: string
  readonly error?: unknown
  readonly [field: string]: unknown
}

/** Messages are constant and in the past tense: `logger.info('sweep completed', { event: 'sweep.completed', due })`. */
export interface Logger {
  error(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  debug(message: string, fields?: LogFields): void
  /** A logger that adds these fields to each of its lines. */
  child(fields: LogFields): Logger
}

export interface LoggerOptions {
  /** Name of the process, in every line. */
  readonly process: string
  readonly level: 'error' | 'warn' | 'info' | 'debug'
  readonly format: 'json' | 'text'
  /** Where the lines go; standard output unless given. */
  readonly stream?: NodeJS.WritableStream
}

/** Writes one line per call. Secrets are removed from messages and fields, at any depth. */
export function createLogger(options: LoggerOptions): Logger {
  const stream = options.stream ?? process.stdout
  // When whoever reads the log has gone, writing fails. That must not end the process, still less in a circle of
  // failures that each want to be logged.
  if (stream.listenerCount('error') === 0) stream.on('error', () => {})
  const winston = createWinston({
    level: options.level,
    format: options.format === 'json' ? jsonLine : textLine,
    transports: [new transports.Stream({ stream, eol: '\n' })],
  })
  return adapt(winston, { process: options.process })
}

function adapt(winston: WinstonLogger, bound: LogFields): Logger {
  const write = (level: LoggerOptions['level']) => (message: string, fields?: LogFields) => {
    if (winston.isLevelEnabled(level))
      winston.log({ level, message: redactText(message), fields: redact({ ...bound, ...fields }) })
  }
  return {
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: write('debug'),
    child: (fields) => adapt(winston, { ...bound, ...fields }),
  }
}

const MESSAGE = Symbol.for('message')

/** The four leading keys always mean the same; a field of that name gives way. */
const jsonLine = format((info) => {
  const { level, message, fields } = info as unknown as {
    level: string
    message: string
    fields: Record<string, unknown>
  }
  info[MESSAGE] = JSON.stringify({ time: new Date().toISOString(), level, message, ...withoutReserved(fields) })
  return info
})()

const textLine = format((info) => {
  const { level, message, fields } = info as unknown as {
    level: string
    message: string
    fields: Record<string, unknown>
  }
  const { process: name, event, error, ...rest } = withoutReserved(fields)
  const details = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const head = `${new Date().toISOString().slice(11, 23)} ${level.padEnd(5)} ${String(name).padEnd(8)} ${message}`
  info[MESSAGE] = [head, ...details].join(' ') + describeError(error)
  return info
})()

function withoutReserved(fields: Record<string, unknown>): Record<string, unknown> {
  const { time, level, message, ...rest } = fields
  return rest
}

function describeError(error: unknown): string {
  if (error === undefined) return ''
  if (typeof error !== 'object' || error === null) return ` error=${JSON.stringify(error)}`
  const { stack, cause } = error as { stack?: unknown; cause?: unknown }
  const own = typeof stack === 'string' ? stack : JSON.stringify(error)
  return `\n  ${own.replaceAll('\n', '\n  ')}${cause === undefined ? '' : `\n  caused by:${describeError(cause)}`}`
}
