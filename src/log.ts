// The log: JSON lines on stderr, or short plain lines where a person reads. No request is logged by default;
// an error always is, with its request id and never with a key.
import pino from 'pino'
import { hideKeys } from './access/api-key.ts'

/** One logger per thread. */
export type Log = pino.Logger

/** Opens this thread's log. Written synchronously, so that the last line before a crash is not lost. */
export function openLog(thread: string): Log {
  return pino(
    {
      level: process.env['QUAI_LOG_LEVEL'] ?? 'info',
      base: { thread },
      redact: ['authorization', '*.authorization', 'headers'],
      serializers: { error: pino.stdSerializers.err },
      // Wherever a client has put its key, in a path or in the id of its request: a line shows the lead alone.
      hooks: { streamWrite: hideKeys },
    },
    pino.destination({ fd: 2, sync: true }),
  )
}
