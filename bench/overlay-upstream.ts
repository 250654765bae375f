// An agency whose feed changes every second, in a process of its own: ready-made entities behind a header of now. It
// stands still (304) until it is told to move.
import GtfsRealtime from 'gtfs-realtime-bindings'
import { startClock } from '../src/clock.ts'

const [port = '', ...files] = process.argv.slice(2)
const { FeedMessage } = GtfsRealtime.transit_realtime
const clock = startClock({ setting: process.env['QUAI_CLOCK'], readAtMillis: Date.now() })
const bodies = await Promise.all(files.map((file) => Bun.file(file).bytes()))
let isMoving = true
let served = 0

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/move' || pathname === '/stop') {
      isMoving = pathname === '/move'
      return new Response(String(served))
    }
    if (!isMoving && request.headers.has('if-none-match')) return new Response(null, { status: 304 })
    const header = { gtfsRealtimeVersion: '2.0', timestamp: Math.floor(clock.nowMillis() / 1000) }
    const head = FeedMessage.encode({ header, entity: [] }).finish()
    const body = bodies[served++ % bodies.length] ?? new Uint8Array(0)
    return new Response(Buffer.concat([head, body]), { headers: { etag: `"${served}"` } })
  },
})
