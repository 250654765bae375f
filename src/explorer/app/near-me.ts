// The user's own position, requested by "near me". It is only sent to the API, rounded to ten meters.
import { Stored } from '../../pages/app/stored.ts'
import { hrefOf, open } from './place.ts'
import type { Stage } from './stage.ts'

const LOCATE_MILLIS = 10_000
/** Maximum age of an earlier position that the browser may return. */
const OLDEST_MILLIS = 60_000
/** Decimals of degrees: the fourth is about ten meters. */
const DECIMALS = 4
/** A network does not serve a user who is farther than this from its lines. */
const FAR_DEGREES = 0.25

/**
 * Progress of finding the user's position. `far`: the position is too far from the network. `insecure`: the page is not
 * served over https, so the browser refuses to find the position.
 */
export type Locating = 'idle' | 'busy' | 'denied' | 'unknown' | 'far' | 'insecure'

/** The progress of the latest attempt to find the user's position. */
export const locating = new Stored<Locating>('idle')

/** A position in degrees. */
export interface Position {
  readonly lat: number
  readonly lon: number
}

/**
 * Requests the user's position from the browser. Opens the list of stops near the position or, if there is no position,
 * a page that explains why.
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

/** The address of the list of stops near a position. */
export function nearbyHref({ network }: Stage, { lat, lon }: Position): string {
  const near = `${lat.toFixed(DECIMALS)},${lon.toFixed(DECIMALS)}`
  return hrefOf(network.id, 'nearby', { query: new URLSearchParams({ near }).toString() })
}

/** Reads the position from the query of an address made by `nearbyHref`; undefined if the query has no position. */
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
