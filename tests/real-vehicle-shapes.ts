// Measures how far each vehicle in real captures is from its trip's shape in the feed's text. Checks that the vehicle's
// `offRouteMeters` is that distance. Runs in process. Run it with `QUAI_FEEDS=folder bun tests/real-vehicle-shapes.ts`.
// Other settings: QUAI_ONLY.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LiveTripReader } from '../indexes/live/live-trips.ts'
import { nameVehicles, VehicleReader } from '../indexes/live/vehicle-reader.ts'
import { decodeMessage } from '../loaders/gtfs-rt/decode-message.ts'
import { openFeedText } from './oracles/feed-text.ts'
import { type Place, readPlaces } from './oracles/realtime-vehicles.ts'
import { openTimetable } from './planned-journeys.ts'
import { moveFeed } from './real-live-journeys.ts'
import { CAPTURES, type Capture, capturePaths } from './real-realtime.ts'

/** A vehicle that is farther from the shape than this must have `offRouteMeters`. */
const NEAR_METERS = 200
/** Maximum error of a distance that is measured on a plane. */
const TOLERANCE_METERS = 15
const METERS_PER_DEGREE = 111_195
const MAX_AGE_SECONDS = 3600

/** The result of checking one capture. */
export interface ShapesVerdict {
  moments: number
  vehicles: number
  /** Number of vehicles on a trip with a shape. */
  onShapes: number
  /** Number of vehicles that are far from their trip's shape. */
  far: number
  readonly differences: string[]
}

/** Checks all vehicles in a capture, both reported and estimated ones. */
export async function checkVehicleShapes(folder: string, capture: Capture): Promise<ShapesVerdict> {
  const paths = capturePaths(folder, capture)
  const moved = mkdtempSync(join(tmpdir(), 'quai-vehicle-shapes-'))
  const verdict: ShapesVerdict = { moments: 0, vehicles: 0, onShapes: 0, far: 0, differences: [] }
  try {
    const moments = await Promise.all(
      capture.moments.map((files) =>
        Promise.all(
          Object.values(files).map(async (file) => decodeMessage(await Bun.file(join(paths.captures, file)).bytes())),
        ),
      ),
    )
    const secondsOf = (messages: (typeof moments)[number]) =>
      Math.max(...messages.map(({ timestampSeconds = 0 }) => timestampSeconds))
    const gtfs = capture.isSequence ? await moveFeed(paths.gtfs, moved, secondsOf(moments[0] ?? [])) : paths.gtfs
    const [timetable, places] = await Promise.all([openTimetable(gtfs), readPlaces(await openFeedText(gtfs))])
    for (const messages of moments) {
      const nowSeconds = secondsOf(messages)
      const trips = new LiveTripReader(timetable)
      const reader = new VehicleReader(timetable, (descriptor, now) => trips.matchTrip(descriptor, now))
      const feeds = messages.map((message) => ({
        ...message,
        timestampSeconds: message.timestampSeconds ?? nowSeconds,
      }))
      const reported = trips.read(feeds, nowSeconds).trips
      const reports = feeds.map(({ timestampSeconds, vehicles }, feed) => ({ feed, timestampSeconds, vehicles }))
      const rest = { trips: reported, nowSeconds, maxAgeSeconds: MAX_AGE_SECONDS, scheduledVehicles: true }
      const found = reader.read({ reports, ...rest })
      nameVehicles(timetable, reported, found.vehicles)
      verdict.moments++
      for (const { id, tripRef, lat, lon, offRouteMeters } of found.vehicles) {
        verdict.vehicles++
        const shape = places.shapeOfTrip.get(tripRef.slice('yyyymmdd:'.length).replace(/@[\d:]+$/, ''))
        if (shape === undefined || shape.length < 2) continue
        verdict.onShapes++
        const meters = metersFromShape({ lat, lon }, shape)
        if (meters <= NEAR_METERS) continue
        verdict.far++
        const isReported = offRouteMeters !== undefined && Math.abs(offRouteMeters - meters) <= TOLERANCE_METERS
        if (!isReported)
          verdict.differences.push(`${id} on ${tripRef} is ${meters} m off its shape and reports ${offRouteMeters}`)
      }
    }
    return verdict
  } finally {
    rmSync(moved, { recursive: true, force: true })
  }
}

/** The shortest distance between a place and a shape, in meters on a plane around the place. */
function metersFromShape(place: Place, shape: readonly Place[]): number {
  const scale = Math.cos((place.lat * Math.PI) / 180)
  const flat = shape.map(({ lat, lon }) => ({
    x: (lon - place.lon) * scale * METERS_PER_DEGREE,
    y: (lat - place.lat) * METERS_PER_DEGREE,
  }))
  let least = Number.POSITIVE_INFINITY
  for (const [at, from] of flat.entries()) {
    const to = flat[at + 1]
    if (to === undefined) break
    const [dx, dy] = [to.x - from.x, to.y - from.y]
    const length = dx * dx + dy * dy
    const part = length === 0 ? 0 : Math.min(1, Math.max(0, -(from.x * dx + from.y * dy) / length))
    least = Math.min(least, Math.hypot(from.x + part * dx, from.y + part * dy))
  }
  return Math.round(least)
}

/** The result as readable text. */
export function describeShapes(name: string, { differences, ...counts }: ShapesVerdict): string {
  const text = Object.entries(counts).map(([what, count]) => `${count} ${what}`)
  return [`${name}: ${text.join(', ')}`, ...differences.map((difference) => `  ${difference}`)].join('\n')
}

if (import.meta.main) {
  const folder = process.env['QUAI_FEEDS']
  if (folder === undefined) throw new Error('QUAI_FEEDS must name a folder of GTFS zips and captures')
  let failed = 0
  for (const capture of CAPTURES.filter(({ name }) => name.includes(process.env['QUAI_ONLY'] ?? ''))) {
    const verdict = await checkVehicleShapes(folder, capture)
    console.log(describeShapes(capture.name, verdict))
    failed += verdict.differences.length
  }
  process.exit(failed > 0 ? 1 : 0)
}
