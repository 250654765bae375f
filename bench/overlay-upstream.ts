// A separate process that serves a GTFS-Realtime feed over HTTP. Each message has a current header, followed by
// prepared entities. In `move` mode, the entities change with every request; in `pace` mode, they change every 15
// seconds. In `stop` mode, they do not change, but the feed sends them in full every 15 seconds, so that it does not
// become stale. Between full responses, the modes `pace` and `stop` send 304. In `fail` mode, the feed sends errors.
import GtfsRealtime from 'gtfs-realtime-bindings'
import { startClock } from '../src/system/clock.ts'

const [port = '', ...files] = process.argv.slice(2)
const { FeedMessage } = GtfsRealtime.transit_realtime
const clock = startClock({ setting: process.env['QUAI_CLOCK'], readAtMillis: Date.now() })
const bodies = await Promise.all(files.map((file) => Bun.file(file).bytes()))
/** How long the feed sends 304 after each full response in `pace` and `stop` mode. */
const STILL_MILLIS = 15_000
let mode = 'stop'
let served = 0
let servedAtMillis = Number.NEGATIVE_INFINITY

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname !== '/trips.pb') {
      mode = pathname.slice(1)
      return new Response(String(served))
    }
    if (mode === 'fail') return new Response('out of order', { status: 500 })
    const isSilent = mode !== 'move' && performance.now() - servedAtMillis < STILL_MILLIS
    if (isSilent && request.headers.has('if-none-match')) return new Response(null, { status: 304 })
    servedAtMillis = performance.now()
    const header = { gtfsRealtimeVersion: '2.0', timestamp: Math.floor(clock.nowMillis() / 1000) }
    const head = FeedMessage.encode({ header, entity: [] }).finish()
    const body = bodies[(mode === 'stop' ? served : ++served) % bodies.length] ?? new Uint8Array(0)
    return new Response(Buffer.concat([head, body]), { headers: { etag: `"${header.timestamp}-${served}"` } })
  },
})
