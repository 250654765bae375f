// The user's own position, requested by "near me". It is sent only to the API, rounded to about ten meters.
import { Stored } from '../../pages/app/stored.ts'
import { hrefOf, open } from './place.ts'
import type { Stage } from './stage.ts'

const LOCATE_MILLIS = 10_000
/** Maximum age of an earlier position that the browser may reuse. */
const OLDEST_MILLIS = 60_000
/** Number of decimals in the coordinates that are sent. Four decimals of a degree are about ten meters. */
const DECIMALS = 4
/** A user who is farther than this from the bounding box of the network's lines is too far away to use the network. */
const FAR_DEGREES = 0.25

/**
 * The state of the search for the user's position. `far`: the position is too far from the network. `insecure`: the
 * page is not served over HTTPS, so the browser refuses to find the position.
 */
export type Locating = 'idle' | 'busy' | 'denied' | 'unknown' | 'far' | 'insecure'

/** The state of the latest search for the user's position. */
export const locating = new Stored<Locating>('idle')

/** A position in degrees. */
export interface Position {
  readonly lat: number
  readonly lon: number
}

/**
 * Requests the user's position from the browser. Opens the list of stops near the position. If there is no position,
 * opens a page that explains why.
 */
export function locate(stage: Stage): void {
  const fail = (why: Locating) => {
    locating.set(why)
    open(hrefOf(stage.network.id, 'nearby'))
  }
  if (!isSecureContext) return fail('insecure')
  if (!('geolocation' in navigator)) return fail('unknown')
  locating.set('busy')
  navigator.geolocation.getCurrentPosition(
    ({ coords }) => {
      if (isFar(stage, coords)) return fail('far')
      locating.set('idle')
      open(nearbyHref(stage, { lat: coords.latitude, lon: coords.longitude }))
    },
    ({ code, PERMISSION_DENIED }) => fail(code === PERMISSION_DENIED ? 'denied' : 'unknown'),
    { timeout: LOCATE_MILLIS, maximumAge: OLDEST_MILLIS },
  )
}

/** The URL of the list of stops near a position. */
export function nearbyHref({ network }: Stage, { lat, lon }: Position): string {
  const near = `${lat.toFixed(DECIMALS)},${lon.toFixed(DECIMALS)}`
  return hrefOf(network.id, 'nearby', { query: new URLSearchParams({ near }).toString() })
}

/** Reads the position from the query of a URL made by `nearbyHref`; undefined if the query has no position. */
export function readPosition(query: URLSearchParams): Position | undefined {
  const [lat = Number.NaN, lon = Number.NaN, ...more] = (query.get('near') ?? '').split(',').map(Number)
  return more.length === 0 && Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : undefined
}

function isFar({ atlas }: Stage, { longitude, latitude }: GeolocationCoordinates): boolean {
  const bounds = atlas.bounds()
  if (bounds === undefined) return false
  const [west, south, east, north] = bounds
  return (
    longitude < west - FAR_DEGREES ||
    longitude > east + FAR_DEGREES ||
    latitude < south - FAR_DEGREES ||
    latitude > north + FAR_DEGREES
  )
}
