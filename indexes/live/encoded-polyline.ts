// Decodes encoded polylines with five decimals, as used by the Shape entities of GTFS-Realtime.
import type { Place } from '../spatial/ground-path.ts'

const SCALE = 1e-5
const FIRST_CODE = 63
const CHUNK_BITS = 5
const MORE = 32

/** The points of a polyline. An incomplete last point is dropped. */
export function decodePolyline(text: string): Place[] {
  const places: Place[] = []
  let [lat, lon] = [0, 0]
  let at = 0
  const next = (): number => {
    let value = 0
    for (let shift = 0; at < text.length; shift += CHUNK_BITS) {
      const chunk = text.charCodeAt(at++) - FIRST_CODE
      value |= (chunk & (MORE - 1)) << shift
      if (chunk < MORE) return value & 1 ? ~(value >> 1) : value >> 1
    }
    return NaN
  }
  while (at < text.length) {
    lat += next()
    lon += next()
    const place = { lat: lat * SCALE, lon: lon * SCALE }
    if (!(Math.abs(place.lat) <= 90 && Math.abs(place.lon) <= 180)) break
    places.push(place)
  }
  return places
}
