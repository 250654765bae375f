// Distances on a sphere, for all spatial indexes.

/** Mean radius of the earth, in meters. */
export const EARTH_RADIUS_METERS = 6_371_008.8

const RADIANS_PER_DEGREE = Math.PI / 180
/** Length in meters of a degree of latitude, and of a degree of longitude at the equator. */
export const METERS_PER_DEGREE = EARTH_RADIUS_METERS * RADIANS_PER_DEGREE

/**
 * Great-circle distance in meters between two points in degrees, by the haversine formula, which is accurate at any
 * distance.
 */
export function greatCircleMeters(lat1: number, lon1: number, lat2: number, lon2: number): number {
  anyPoint.moveTo(lat1, lon1)
  return anyPoint.metersTo(lat2, lon2)
}

/**
 * Distances from one fixed point to many others. The cosine of the fixed point's latitude is computed only once. The
 * results are the same as those of `greatCircleMeters`.
 */
export class FixedPoint {
  private lat = 0
  private lon = 0
  private cosine = 1

  /** Moves to another point, in degrees. */
  moveTo(lat: number, lon: number): void {
    this.lat = lat
    this.lon = lon
    this.cosine = Math.cos(lat * RADIANS_PER_DEGREE)
  }

  metersTo(lat: number, lon: number): number {
    const sinHalfLat = Math.sin(((lat - this.lat) * RADIANS_PER_DEGREE) / 2)
    const sinHalfLon = Math.sin(((lon - this.lon) * RADIANS_PER_DEGREE) / 2)
    const cosines = this.cosine * Math.cos(lat * RADIANS_PER_DEGREE)
    const chord = sinHalfLat * sinHalfLat + cosines * sinHalfLon * sinHalfLon
    return 2 * EARTH_RADIUS_METERS * Math.asin(Math.min(1, Math.sqrt(chord)))
  }
}

const anyPoint = new FixedPoint()

/** A box in degrees that contains every point within a distance of its center. */
export interface DegreeBox {
  readonly minLat: number
  readonly maxLat: number
  /** Half the width in degrees of longitude; 180 if the circle contains a pole. */
  readonly halfWidthLon: number
}

/**
 * The smallest box that contains every point within a radius. Meridians converge toward the poles. In degrees of
 * longitude, the circle is therefore not widest at the latitude of its center, but nearer to the pole.
 */
export function boxAround(lat: number, radiusMeters: number): DegreeBox {
  const angle = radiusMeters / EARTH_RADIUS_METERS
  const halfHeight = angle / RADIANS_PER_DEGREE
  const minLat = lat - halfHeight
  const maxLat = lat + halfHeight
  if (minLat <= -90 || maxLat >= 90) return { minLat, maxLat, halfWidthLon: 180 }
  const sine = Math.sin(angle) / Math.cos(lat * RADIANS_PER_DEGREE)
  return { minLat, maxLat, halfWidthLon: sine >= 1 ? 180 : Math.asin(sine) / RADIANS_PER_DEGREE }
}
