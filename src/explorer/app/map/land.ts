// Projects the world's outline from the globe to the plane. Rings that cross the date line or go around a pole are
// unrolled and closed along the edge of the map.
import { feature } from 'topojson-client'
import type { Coordinate } from '../contract.ts'
import { OUTLINE_URL } from '../page-addresses.ts'

/** The land as GeoJSON. */
export interface Land {
  readonly type: 'MultiPolygon'
  readonly coordinates: readonly (readonly (readonly Coordinate[])[])[]
}

const SOUTH_EDGE = -89

/** Fetches the outline of the land and projects it to the plane. */
export async function loadLand(): Promise<Land> {
  const topology = await fetch(OUTLINE_URL).then((response) => response.json())
  const drawn: { readonly features: readonly { readonly geometry: Land }[] } = JSON.parse(
    JSON.stringify(feature(topology, topology.objects.land)),
  )
  const coordinates = drawn.features.flatMap(({ geometry }) => geometry.coordinates)
  return { type: 'MultiPolygon', coordinates: coordinates.map((rings) => rings.map(unroll)) }
}

/**
 * Makes a ring's longitudes continuous, so they can exceed ±180. A ring around the South Pole is closed along the
 * southern edge of the map.
 */
function unroll(ring: readonly Coordinate[]): readonly Coordinate[] {
  let turned = 0
  const unrolled = ring.map(([lon, lat], index): Coordinate => {
    const before = ring[index - 1]
    if (before !== undefined && lon - before[0] > 180) turned -= 360
    if (before !== undefined && lon - before[0] < -180) turned += 360
    return [lon + turned, lat]
  })
  const [first] = unrolled
  return turned === 0 ? unrolled : [...unrolled, [first[0] + turned, SOUTH_EDGE], [first[0], SOUTH_EDGE], first]
}
