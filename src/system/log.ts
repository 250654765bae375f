// The log: JSON lines on stderr, or short plain lines for a terminal. Requests are logged if configured
// (requests/request-log.ts); errors always, with the request id and never with a key.
import pino from 'pino'
import { hideKeys } from '../keys/api-key.ts'

/** A log of one thread, or of a part of it. */
export type Log = pino.Logger

/** Levels of log lines, as named by pino. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

const opened: Log[] = []
let level: LogLevel = 'info'

/** Buffer size: less than a pipe writes atomically, so that threads' lines do not mix. */
const GATHERED_BYTES = 3_000
/** Maximum delay of buffered lines. */
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

/** Reports bugs; pino's loggers implement it. */
export interface Logger {
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** A logger that also writes events; pino's loggers implement it. */
export interface EventLogger extends Logger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
}
