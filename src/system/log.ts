// The log: JSON lines on stderr, or short plain lines where a person reads. Requests are logged where the configuration
// says so (requests/request-log.ts); an error always is, with its request id and never with a key.
import pino from 'pino'
import { hideKeys } from '../keys/api-key.ts'

/** One logger per part of a thread. */
export type Log = pino.Logger

/** What lines may weigh, as pino names it. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

const opened: Log[] = []
let level: LogLevel = 'info'

/** What is gathered of lines before it is written: less than a pipe takes whole, so that threads' lines do not mix. */
const GATHERED_BYTES = 3_000
/** Gathered lines are written at least so often. */
const FLUSH_MILLIS = 250

/** Opens a log of this thread. Written synchronously, so that the last line before a crash is not lost. */
export function openLog(thread: string): Log {
  return openOn(thread, pino.destination({ fd: 2, sync: true }))
}

/** A log for lines that come in hundreds a second: several are written at once, a quarter of a second late at most. */
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
      // Wherever a client has put its key, in a path or in the id of its request: a line shows the lead alone.
      hooks: { streamWrite: hideKeys },
    },
    destination,
  )
  opened.push(log)
  return log
}

/** Sets what the logs of this thread write from now on, those that are opened later too. */
export function setLogLevel(least: LogLevel): void {
  level = least
  for (const log of opened) log.level = least
}

/** Where bugs are reported; pino's loggers fit. */
export interface Logger {
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}
