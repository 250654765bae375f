// The log: JSON lines on stderr, or short plain lines for a terminal. Errors are always logged, with the request's id
// and without keys. Requests are logged only if configured (requests/request-log.ts).
import pino from 'pino'
import { hideKeys } from '../keys/api-key.ts'

/** A log of one thread, or of a part of it. */
export type Log = pino.Logger

/** Levels of log lines, as named by pino. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

const opened: Log[] = []
let level: LogLevel = 'info'

/** Buffer size: less than the size that a pipe writes atomically, so that lines of different threads do not mix. */
const GATHERED_BYTES = 3_000
/** Maximum time for which lines stay in the buffer. */
const FLUSH_MILLIS = 250

/** Opens a log of this thread. Writes synchronously, so that the last line before a crash is not lost. */
export function openLog(thread: string): Log {
  return openOn(thread, pino.destination({ fd: 2, sync: true }))
}

/** A log for hundreds of lines per second: buffered, with a delay of at most a quarter of a second. */
export function openGatheringLog(thread: string): { readonly log: Log; flush(): void } {
  const destination = pino.destination({ fd: 2, sync: true, minLength: GATHERED_BYTES })
  setInterval(() => destination.flushSync(), FLUSH_MILLIS)
  return { log: openOn(thread, destination), flush: () => destination.flushSync() }
}

function openOn(thread: string, destination: ReturnType<typeof pino.destination>): Log {
  const log = pino(
    {
      level,
      base: { thread },
      redact: ['authorization', '*.authorization', 'headers'],
      serializers: { error: pino.stdSerializers.err },
      // A client may put its key into a path or request id. The log only shows the key's public prefix.
      hooks: { streamWrite: hideKeys },
    },
    destination,
  )
  opened.push(log)
  return log
}

/** Sets the level of this thread's logs, including those opened later. */
export function setLogLevel(least: LogLevel): void {
  level = least
  for (const log of opened) log.level = least
}

/** Logs errors; pino's loggers implement this interface. */
export interface Logger {
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** A logger that also logs events; pino's loggers implement this interface. */
export interface EventLogger extends Logger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
}
