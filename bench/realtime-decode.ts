// `bun bench/realtime-decode.ts` measures the time to decode a GTFS-Realtime message with Quai's reader and with the
// official bindings. The two take turns on the same bytes. The time of the bindings ends when they have built their own
// objects; converting these objects is not included. One message is generated. If QUAI_FEEDS is set, the captures of
// real feeds are decoded too. Both readers must find the same content.
import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { transit_realtime } from 'gtfs-realtime-bindings'
import { decodeMessage } from '../loaders/gtfs-rt/decode-message.ts'
import { below, seededRandom } from '../src/demo/seeded-random.ts'
import { listCaptures } from '../tests/loaders/gtfs-rt/captures.ts'
import { showFigure } from './figures.ts'
import { digits, spreadOf } from './measure.ts'

const TRIPS = 2_500
const CALLS = 40
const NOW_SECONDS = 1_790_000_000
const ROUNDS = 40
/** Minimum size of a capture. Smaller captures take too little time to measure. */
const MIN_BYTES = 50_000

const ratios: number[] = []
for (const { name, bytes } of [{ name: `made, ${TRIPS * CALLS} stop times`, bytes: makeFeed() }, ...largeCaptures()]) {
  checkSame(name, bytes)
  const { ours, theirs } = timeBoth(bytes)
  ratios.push(theirs / ours)
  const size = `${digits(bytes.length / 1e6)} MB`
  console.log(`${name}, ${size}: own ${digits(ours)} ms, bindings ${digits(theirs)} ms, ${digits(theirs / ours)} ×`)
}
showFigure({
  name: 'reading realtime messages, compared with the official bindings, minimum',
  value: Math.min(...ratios),
  unit: '×',
})
console.log(`bindings / own: ${digits(Math.min(...ratios))} to ${digits(Math.max(...ratios))} ×`)

/**
 * The median time of each reader, in milliseconds. The readers alternate, so that other work on the machine affects
 * both.
 */
function timeBoth(bytes: Uint8Array): { ours: number; theirs: number } {
  const ours = new Float64Array(ROUNDS)
  const theirs = new Float64Array(ROUNDS)
  for (let round = -ROUNDS; round < ROUNDS; round++) {
    const began = performance.now()
    decodeMessage(bytes)
    const between = performance.now()
    transit_realtime.FeedMessage.decode(bytes)
    const ended = performance.now()
    if (round < 0) continue
    ours[round] = between - began
    theirs[round] = ended - between
  }
  return { ours: spreadOf(ours).p50, theirs: spreadOf(theirs).p50 }
}

function checkSame(name: string, bytes: Uint8Array): void {
  const found = decodeMessage(bytes)
  const { entity } = transit_realtime.FeedMessage.decode(bytes)
  const theirs = [
    entity.filter(({ tripUpdate }) => tripUpdate).length,
    entity.filter(({ vehicle }) => vehicle).length,
    entity.filter(({ alert }) => alert).length,
    entity.reduce((sum, { tripUpdate }) => sum + (tripUpdate?.stopTimeUpdate?.length ?? 0), 0),
  ]
  const calls = found.trips.reduce((sum, { stopTimes }) => sum + stopTimes.length, 0)
  const ours = [found.trips.length, found.vehicles.length, found.alerts.length, calls]
  if (!Bun.deepEquals(ours, theirs)) throw new Error(`${name}: we find ${ours}, the bindings ${theirs}`)
}

function largeCaptures(): { name: string; bytes: Uint8Array }[] {
  return listCaptures()
    .map((path) => ({
      name: `${basename(dirname(path))}/${basename(path)}`,
      bytes: new Uint8Array(readFileSync(path)),
    }))
    .filter(({ bytes }) => bytes.length >= MIN_BYTES)
}

/** A message with trips that have a time and a delay at each call, and with a vehicle for each trip. */
function makeFeed(): Uint8Array {
  const random = seededRandom(1, 'realtime-decode')
  const entity = Array.from({ length: TRIPS }, (_, number): transit_realtime.IFeedEntity => {
    const trip = { tripId: `trip-${number}-of-weekday`, startDate: '20260921', routeId: `line-${number % 80}` }
    const first = below(random, 4_000)
    const delay = below(random, 600) - 60
    return {
      id: `update-${number}`,
      tripUpdate: {
        trip,
        timestamp: NOW_SECONDS,
        stopTimeUpdate: Array.from({ length: CALLS }, (_, call) => ({
          stopSequence: call + 1,
          stopId: `stop-${(first + call) % 4_000}`,
          arrival: { delay, time: NOW_SECONDS + call * 90 },
          departure: { delay, time: NOW_SECONDS + call * 90 + 20 },
        })),
      },
      vehicle: {
        trip,
        vehicle: { id: `bus-${number}`, label: `${number}` },
        position: { latitude: 48.5 + random() / 10, longitude: 7.7 + random() / 10, bearing: below(random, 360) },
        timestamp: NOW_SECONDS,
        stopId: `stop-${first}`,
      },
    }
  })
  const header = { gtfsRealtimeVersion: '2.0', incrementality: 0, timestamp: NOW_SECONDS }
  return transit_realtime.FeedMessage.encode({ header, entity }).finish()
}
