// The log: JSON lines on stderr, or short plain lines where a person reads. Requests are logged where the configuration
// says so (api/request-log.ts); an error always is, with its request id and never with a key.
import pino from 'pino'
import { hideKeys } from './access/api-key.ts'

/** One logger per part of a thread. */
export type Log = pino.Logger

/** What lines may weigh, as pino names it. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

const opened: Log[] = []
let level: LogLevel = 'info'

/** Opens a log of this thread. Written synchronously, so that the last line before a crash is not lost. */
export function openLog(thread: string): Log {
  const log = pino(
    {
      level,
      base: { thread },
      redact: ['authorization', '*.authorization', 'headers'],
      serializers: { error: pino.stdSerializers.err },
      // Wherever a client has put its key, in a path or in the id of its request: a line shows the lead alone.
      hooks: { streamWrite: hideKeys },
    },
    pino.destination({ fd: 2, sync: true }),
  )
  opened.push(log)
  return log
}

/** Sets what the logs of this thread write from now on, those that are opened later too. */
export function setLogLevel(least: LogLevel): void {
  level = least
  for (const log of opened) log.level = least
}
