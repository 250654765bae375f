// The log: JSON lines on stderr, or short plain lines for a terminal. Errors are always logged, with the request id and
// without keys. Requests are logged only if configured (requests/request-log.ts).
import pino from 'pino'
import { hideKeys } from '../keys/api-key.ts'

/** The log of one thread, or of one part of a thread. */
export type Log = pino.Logger

/** Log levels, as named by pino. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

const opened: Log[] = []
let level: LogLevel = 'info'

/**
 * Size of the buffer. It is less than the number of bytes that a pipe writes atomically, so that lines from different
 * threads do not mix.
 */
const GATHERED_BYTES = 3_000
/** Maximum time for which lines stay in the buffer. */
const FLUSH_MILLIS = 250

/** Opens a log for this thread. It is written synchronously, so that the last line before a crash is not lost. */
export function openLog(thread: string): Log {
  return openOn(thread, pino.destination({ fd: 2, sync: true }))
}

/** Opens a log for hundreds of lines per second. It is buffered, with a delay of at most a quarter of a second. */
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
      // A client may put its key into a path or a request id. The log shows only the key's public prefix.
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
