// Runs many stream clients (a crowd) in a separate process, so that they use no processor time of the measured process.
// The crowd opens streams, counts frames, and reports to its parent when requested. The parent kills the crowd to
// simulate many clients that crash at once.
import type { Socket } from 'bun'
import { spreadOf } from './measure.ts'

/** The streams to open. */
export interface CrowdOrder {
  readonly port: number
  /** The complete HTTP request of each stream. */
  readonly requests: readonly string[]
  readonly intervalSeconds: number
}

/** The results of a crowd. */
export interface CrowdFigures {
  readonly open: number
  readonly frames: number
  readonly bytes: number
  /**
   * The 99th percentile of the frames' deviations from the interval, in milliseconds. A frame's deviation is how much
   * the time since the stream's previous frame differs from the interval.
   */
  readonly unpunctualP99Millis: number
  /** The maximum of the first 100 000 of these deviations, in milliseconds. */
  readonly unpunctualMostMillis: number
  readonly failures: readonly string[]
}

/** Number of connections to open at the same time. */
const AT_ONCE = 100

let bytes = 0
let frames = 0
let open = 0
const unpunctual: number[] = []
const failures: string[] = []

interface Reading {
  lastFrameAt: number
  hasBegun: boolean
}

async function openAll({ port, requests, intervalSeconds }: CrowdOrder): Promise<void> {
  const take = (socket: Socket<Reading>, chunk: Buffer) => {
    bytes += chunk.length
    const text = chunk.toString('latin1')
    if (!socket.data.hasBegun) {
      socket.data.hasBegun = true
      if (text.startsWith('HTTP/1.1 200')) open++
      else failures.push(text.slice(0, 300))
    }
    if (!text.includes('\nid: ') && !text.startsWith('id: ')) return
    frames++
    const now = performance.now()
    const { lastFrameAt } = socket.data
    if (lastFrameAt > 0) unpunctual.push(Math.abs(now - lastFrameAt - intervalSeconds * 1000))
    socket.data.lastFrameAt = now
  }
  for (let start = 0; start < requests.length; start += AT_ONCE) {
    await Promise.all(
      requests.slice(start, start + AT_ONCE).map(async (request) => {
        const socket = await Bun.connect<Reading>({
          hostname: '127.0.0.1',
          port,
          data: { lastFrameAt: 0, hasBegun: false },
          socket: {
            data: take,
            close: () => {
              open--
            },
            error: (_, error) => void failures.push(String(error)),
          },
        })
        socket.write(request)
      }),
    )
  }
}

function figures(): CrowdFigures {
  const spread = spreadOf(Float64Array.from(unpunctual))
  return {
    open,
    frames,
    bytes,
    unpunctualP99Millis: spread.p99,
    unpunctualMostMillis: Math.max(0, ...unpunctual.slice(0, 100_000)),
    failures: failures.slice(0, 5),
  }
}

process.on('message', (message: CrowdOrder | 'figures') => {
  if (message === 'figures') process.send?.(figures())
  else void openAll(message).then(() => process.send?.('opened'))
})
