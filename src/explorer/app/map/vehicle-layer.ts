// Animates vehicles between reports. A vehicle moves from its drawn position to its reported position in about the time
// until the next report. It moves along its line's shape if both positions are on the shape. The animation is fast
// enough for 2 000 vehicles.
import type { NearbyVehicle, Vehicle } from '../contract.ts'
import { type Glide, makeGlide, moveOf, placeAt } from './glide.ts'
import { metersPerUnit, type PlanePoint, toPlane, toScreen, type Viewport } from './mercator.ts'
import { footOn, type Path, stretchOf } from './paths.ts'
import { type Sprite, type SpriteKind, VehicleSprites } from './vehicle-sprites.ts'

/** How to draw the vehicles of a line. */
export interface LineLooks {
  readonly color: string
  readonly pathsByDirection: ReadonlyMap<string, readonly Path[]>
}

/**
 * A vehicle from a request for a line (`Vehicle`) or for a position (`NearbyVehicle`). The latter has fewer members.
 */
export type Sighting = Vehicle | NearbyVehicle

/**
 * A drawn vehicle. Times are in milliseconds. Animation times are by the page's clock; the report's time (`recordedAt`)
 * is by the service's clock.
 */
interface Track {
  vehicle: Sighting
  color: string
  recordedAt: number
  glide: Glide
  updatedAt: number
  bearing: number
  sprite: Sprite | undefined
  /** The size for which the sprite was drawn. */
  spriteSize: SpriteKind['size']
}

/** Vehicles are fully opaque until their report is this old. */
const FRESH_MILLIS = 45_000
/** Vehicles whose report is older than this are not drawn. */
const GONE_MILLIS = 300_000
const LEAST_ALPHA = 0.25
const LONGEST_GLIDE_MILLIS = 30_000
const SHORTEST_GLIDE_MILLIS = 1_000
/** Moves longer than this are not animated. */
const JUMP_METERS = 3_000
/** A vehicle at most this far from its line's shape counts as being on it. */
const ON_PATH_METERS = 70
/** Below this zoom, vehicles are drawn as dots. */
const DOT_ZOOM = 11.5
const HIT_PIXELS = 15

/** Animates the vehicles and draws them on the map. */
export class VehicleLayer {
  private readonly tracks = new Map<string, Track>()
  private readonly sprites = new VehicleSprites()
  /** Whether vehicles are animated between reports. */
  isGliding = true
  /**
   * Returns whether a vehicle is highlighted. All other vehicles are faded. Undefined if no vehicle is highlighted, in
   * which case none is faded.
   */
  isChosen: ((vehicle: Sighting) => boolean) | undefined
  private isNight = false

  /** Adds or moves the given vehicles. Of all other vehicles, removes those for which `isGone` returns true. */
  replaceWhere(
    vehicles: readonly Sighting[],
    how: { looksOf(lineId: string): LineLooks; isGone(vehicle: Sighting): boolean },
  ): void {
    const now = performance.now()
    const present = new Set(vehicles.map((vehicle) => vehicle.id))
    for (const [id, track] of this.tracks) {
      if (!present.has(id) && how.isGone(track.vehicle)) this.tracks.delete(id)
    }
    for (const vehicle of vehicles) {
      const known = this.tracks.get(vehicle.id)
      this.tracks.set(vehicle.id, this.toTrack(vehicle, { known, looks: how.looksOf(vehicle.line_id), now }))
    }
  }

  /** Whether any vehicle has a position from the given source, such as a report or an estimate. */
  hasSource(source: Sighting['position_source']): boolean {
    for (const { vehicle } of this.tracks.values()) if (vehicle.position_source === source) return true
    return false
  }

  /** Switches between light and dark sprites. */
  setDark(isDark: boolean): void {
    this.isNight = isDark
    for (const track of this.tracks.values()) track.sprite = undefined
  }

  /** Removes all vehicles. */
  clear(): void {
    this.tracks.clear()
  }

  get count(): number {
    return this.tracks.size
  }

  /** The number of vehicles for which `isCounted` returns true. */
  countWhere(isCounted: (vehicle: Sighting) => boolean): number {
    let count = 0
    for (const { vehicle } of this.tracks.values()) if (isCounted(vehicle)) count++
    return count
  }

  /**
   * The vehicles on a line, in no particular order. Vehicles from a request for a position are left out, because they
   * have fewer members.
   */
  ofLine(lineId: string): Vehicle[] {
    return [...this.tracks.values()]
      .map((track) => track.vehicle)
      .filter((vehicle): vehicle is Vehicle => vehicle.line_id === lineId && 'trip_id' in vehicle)
  }

  find(id: string): Sighting | undefined {
    return this.tracks.get(id)?.vehicle
  }

  /** Returns the position at which a vehicle is drawn now. */
  placeOf(id: string): PlanePoint | undefined {
    const track = this.tracks.get(id)
    return track === undefined ? undefined : placeAt(track.glide, performance.now())
  }

  /** The greatest distance, on the plane, that any vehicle has moved between the times `since` and `now`. */
  greatestMove(since: number, now: number): number {
    let greatest = 0
    for (const { glide } of this.tracks.values()) greatest = Math.max(greatest, moveOf(glide, since, now))
    return greatest
  }

  /** Draws the vehicles in view and returns their number. */
  draw(context: CanvasRenderingContext2D, view: Viewport, moment: { now: number; serviceNow: number }): number {
    const isDot = view.zoom < DOT_ZOOM
    let drawn = 0
    for (const [id, track] of this.tracks) {
      const age = moment.serviceNow - track.recordedAt
      if (age > GONE_MILLIS) {
        this.tracks.delete(id)
        continue
      }
      const { x, y } = toScreen(placeAt(track.glide, moment.now), view)
      if (x < -20 || y < -20 || x > view.width + 20 || y > view.height + 20) continue
      const isChosen = this.isChosen?.(track.vehicle) === true
      const sprite = this.spriteOf(track, isDot ? 'dot' : isChosen ? 'large' : 'usual')
      context.globalAlpha = alphaOf(age) * (this.isChosen === undefined || isChosen ? 1 : 0.18)
      context.drawImage(sprite.image, x - sprite.half, y - sprite.half, sprite.half * 2, sprite.half * 2)
      drawn++
    }
    context.globalAlpha = 1
    return drawn
  }

  /** Returns the vehicle nearest to a point on the screen; undefined if none is close to it. */
  hit(view: Viewport, at: PlanePoint): Sighting | undefined {
    const now = performance.now()
    let best = HIT_PIXELS
    let found: Sighting | undefined
    for (const track of this.tracks.values()) {
      if (this.isChosen?.(track.vehicle) === false) continue
      const { x, y } = toScreen(placeAt(track.glide, now), view)
      const distance = Math.hypot(x - at.x, y - at.y)
      if (distance < best) {
        best = distance
        found = track.vehicle
      }
    }
    return found
  }

  private spriteOf(track: Track, size: SpriteKind['size']): Sprite {
    if (track.sprite !== undefined && track.spriteSize === size) return track.sprite
    track.spriteSize = size
    track.sprite = this.sprites.take({
      color: track.color,
      bearing: size === 'dot' ? null : track.bearing,
      source: track.vehicle.position_source,
      size,
      isDark: this.isNight,
    })
    return track.sprite
  }

  private toTrack(vehicle: Sighting, on: { known: Track | undefined; looks: LineLooks; now: number }): Track {
    const { known, looks, now } = on
    const target = toPlane([vehicle.lon, vehicle.lat])
    const start = known === undefined ? target : placeAt(known.glide, now)
    const points = this.isGliding
      ? wayBetween(start, target, looks.pathsByDirection.get(vehicle.direction_id) ?? [])
      : [target]
    const since = known === undefined ? 0 : now - known.updatedAt
    return {
      vehicle,
      color: looks.color,
      recordedAt: Date.parse(vehicle.recorded_at),
      glide: makeGlide(points, now, Math.min(LONGEST_GLIDE_MILLIS, Math.max(SHORTEST_GLIDE_MILLIS, since))),
      updatedAt: now,
      bearing: vehicle.bearing ?? known?.bearing ?? Number.NaN,
      sprite: undefined,
      spriteSize: 'usual',
    }
  }
}

/**
 * The path from `start` to `target`: along a shape if both points are on it, otherwise straight. For very long and very
 * short moves, the path is only the target, so they are not animated.
 */
function wayBetween(start: PlanePoint, target: PlanePoint, paths: readonly Path[]): readonly PlanePoint[] {
  const meters = Math.hypot(target.x - start.x, target.y - start.y) * metersPerUnit(target.y)
  if (meters > JUMP_METERS) return [target]
  if (meters < 1) return [target]
  for (const path of paths) {
    const from = footOn(path, start)
    if (from.besideMeters > ON_PATH_METERS) continue
    const to = footOn(path, target, from.along)
    const wayMeters = (to.along - from.along) * metersPerUnit(target.y)
    if (to.besideMeters <= ON_PATH_METERS && wayMeters < meters * 3 + 50) {
      return [start, ...stretchOf(path, from.along, to.along).slice(1, -1), target]
    }
  }
  return [start, target]
}

/** The opacity of a vehicle: 1 while its report is fresh; then it decreases with the report's age. */
function alphaOf(ageMillis: number): number {
  const share = Math.max(0, ageMillis - FRESH_MILLIS) / (GONE_MILLIS - FRESH_MILLIS)
  return 1 - share * (1 - LEAST_ALPHA)
}
