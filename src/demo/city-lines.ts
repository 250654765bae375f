// The lines of the demo city: where they run, which stations they serve, how they look. What runs when is city-trips.ts.
import { type CityMap, distanceBetween, type Point, riverNorthing, type Station } from './city-map.ts'
import type { Chance } from './random.ts'

export type CityMode = 'metro' | 'tram' | 'bus' | 'ferry'
/** How a line's day looks. */
export type CityRhythm = 'main' | 'local' | 'night' | 'express' | 'shuttle' | 'ferry'

/** One line. */
export interface CityLine {
  readonly id: string
  readonly code: string
  readonly mode: CityMode
  readonly rhythm: CityRhythm
  readonly color: string
  readonly textColor: string
  readonly agencyId: string
  readonly sortOrder: number
  /** Stations in the order of direction 0; a loop ends where it begins. */
  readonly stations: readonly Station[]
  /** A second ending, from a place in `stations` on. */
  readonly branch: { readonly from: number; readonly stations: readonly Station[] } | undefined
  readonly isLoop: boolean
}

interface ModePlan {
  readonly spacingMeters: number
  readonly routeType: number
  readonly speedMetersPerSecond: number
  readonly dwellSeconds: number
}

/** What the modes have in common. Speeds are between stops, without dwell. */
export const MODE_PLANS: Readonly<Record<CityMode, ModePlan>> = {
  metro: { spacingMeters: 780, routeType: 1, speedMetersPerSecond: 12.5, dwellSeconds: 25 },
  tram: { spacingMeters: 480, routeType: 0, speedMetersPerSecond: 7.5, dwellSeconds: 20 },
  bus: { spacingMeters: 370, routeType: 3, speedMetersPerSecond: 6.2, dwellSeconds: 10 },
  ferry: { spacingMeters: 1100, routeType: 4, speedMetersPerSecond: 4.2, dwellSeconds: 60 },
}

const URBAN = 'VMU'
const RIVER = 'BAC'

/** The lines of a city of a scale; 1 has forty. */
export function makeLines(map: CityMap, chance: Chance, scale: number): CityLine[] {
  const reach = 7200 * Math.sqrt(scale)
  const planner = new LinePlanner(map, chance, reach)
  const count = (base: number) => Math.max(1, Math.round(base * scale))
  for (let i = 0; i < 2 * Math.ceil(Math.sqrt(scale)); i++)
    planner.across({ code: `M${i + 1}`, mode: 'metro', rhythm: 'main', angle: i * 1.55 + 0.1 })
  for (let i = 0; i < count(6); i++)
    planner.across({ code: tramCode(i), mode: 'tram', rhythm: 'main', angle: 0.5 + i * 0.62 })
  const buses = count(21)
  for (let i = 0; i < buses; i++) {
    const angle = (i / buses) * 2 * Math.PI
    const line = { code: String(i + 1), mode: 'bus', rhythm: i % 3 === 0 ? 'main' : 'local', angle } as const
    if (i % 2 === 0) planner.across(line)
    else planner.radial(line)
  }
  for (let i = 0; i < count(2); i++)
    planner.ring({ code: String(buses + i + 1), mode: 'bus', rhythm: 'local', radius: 2600 + 1700 * i })
  planner.branched({ code: String(buses + count(2) + 1), mode: 'bus', rhythm: 'local', angle: 2.2 })
  planner.express({ code: 'X1', mode: 'bus', rhythm: 'express', angle: 0.9 })
  planner.radial({ code: 'Nav', mode: 'bus', rhythm: 'shuttle', angle: 4.1, share: 0.35 })
  for (let i = 0; i < count(3); i++)
    planner.across({ code: `N${i + 1}`, mode: 'bus', rhythm: 'night', angle: i * 1.05 + 0.3 })
  planner.river({ code: 'Bac 1', mode: 'ferry', rhythm: 'ferry', from: -0.55, to: 0.1 })
  planner.river({ code: 'Bac 2', mode: 'ferry', rhythm: 'ferry', from: 0.05, to: 0.6 })
  return planner.lines
}

function tramCode(index: number): string {
  return index < 26 ? String.fromCharCode(65 + index) : `T${index + 1}`
}

interface LineSketch {
  readonly code: string
  readonly mode: CityMode
  readonly rhythm: CityRhythm
}

class LinePlanner {
  readonly lines: CityLine[] = []
  private readonly map: CityMap
  private readonly chance: Chance
  private readonly reach: number

  constructor(map: CityMap, chance: Chance, reach: number) {
    this.map = map
    this.chance = chance
    this.reach = reach
  }

  /** From one edge through the centre to the other. */
  across(sketch: LineSketch & { angle: number }): void {
    const { angle } = sketch
    const hub = this.map.hubs[this.lines.length % 5] as Station
    const far = angle + Math.PI + this.chance.between(-0.5, 0.5)
    this.add(
      sketch,
      this.along(sketch.mode, [this.edge(angle), this.middle(angle), hub.at, this.middle(far), this.edge(far)]),
    )
  }

  /** From the centre to an edge, by a hub of the second ring where one lies that way. */
  radial(sketch: LineSketch & { angle: number; share?: number }): void {
    const hub = this.map.hubs[this.lines.length % this.map.hubs.length] as Station
    const end = this.edge(sketch.angle, sketch.share ?? this.chance.between(0.6, 1))
    const bend = this.middle(sketch.angle + this.chance.between(-0.35, 0.35), (sketch.share ?? 1) * 0.5)
    this.add(sketch, this.along(sketch.mode, [hub.at, bend, end]))
  }

  /** Round the centre; the last station is the first. */
  ring(sketch: LineSketch & { radius: number }): void {
    const points = Array.from({ length: 13 }, (_, i) => {
      const angle = (i % 12) * (Math.PI / 6)
      return { x: sketch.radius * Math.cos(angle), y: sketch.radius * 0.85 * Math.sin(angle) }
    })
    const stations = this.along(sketch.mode, points)
    const [first] = stations
    if (first !== undefined && stations.at(-1) !== first) stations.push(first)
    this.add(sketch, stations, { isLoop: true })
  }

  /** One trunk and two endings. */
  branched(sketch: LineSketch & { angle: number }): void {
    const hub = this.map.hubs[1] as Station
    const fork = this.middle(sketch.angle, 0.45)
    const trunk = this.along(sketch.mode, [hub.at, fork])
    const main = this.along(sketch.mode, [fork, this.edge(sketch.angle - 0.3)]).slice(1)
    const other = this.along(sketch.mode, [fork, this.edge(sketch.angle + 0.4, 0.8)]).slice(1)
    this.add(sketch, [...trunk, ...main], {
      branch: { from: trunk.length, stations: other.filter((each) => !trunk.includes(each)) },
    })
  }

  /** Across, but stopping only at every fourth station and at hubs. */
  express(sketch: LineSketch & { angle: number }): void {
    const hub = this.map.hubs[0] as Station
    const all = this.along(sketch.mode, [this.edge(sketch.angle), hub.at, this.edge(sketch.angle + Math.PI)])
    this.add(
      sketch,
      all.filter((station, i) => i % 4 === 0 || station.isHub || i === all.length - 1),
    )
  }

  /** Along the river between two shares of the reach. */
  river(sketch: LineSketch & { from: number; to: number }): void {
    const points = Array.from({ length: 8 }, (_, i) => {
      const x = this.reach * (sketch.from + ((sketch.to - sketch.from) * i) / 7)
      return { x, y: riverNorthing(x) + (i % 2 === 0 ? 60 : -60) }
    })
    this.add(sketch, this.along(sketch.mode, points))
  }

  private edge(angle: number, share = this.chance.between(0.72, 1)): Point {
    return { x: this.reach * share * Math.cos(angle), y: this.reach * 0.8 * share * Math.sin(angle) }
  }

  private middle(angle: number, share = 0.45): Point {
    const turned = angle + this.chance.between(-0.3, 0.3)
    return { x: this.reach * share * Math.cos(turned), y: this.reach * 0.8 * share * Math.sin(turned) }
  }

  /** Stations at the mode's spacing along a smooth way through some points; none twice. */
  private along(mode: CityMode, through: readonly Point[]): Station[] {
    const { spacingMeters } = MODE_PLANS[mode]
    const stations: Station[] = []
    let since = Number.POSITIVE_INFINITY
    let last: Point | undefined
    const way = smoothWay(through)
    for (const [index, point] of way.entries()) {
      if (last !== undefined) since += distanceBetween(last, point)
      last = point
      const hub = index % STEPS_PER_SPAN === 0 ? this.hubAt(point) : undefined
      if (hub === undefined && since < spacingMeters && index !== way.length - 1) continue
      // A station right before a hub gives way to it.
      if (hub !== undefined && since < spacingMeters / 2 && stations.length > 1) stations.pop()
      const station = hub ?? this.map.stationAt(point)
      if (stations.includes(station)) continue
      stations.push(station)
      since = 0
    }
    return stations
  }

  private hubAt(point: Point): Station | undefined {
    return this.map.hubs.find((hub) => distanceBetween(hub.at, point) < 1)
  }

  private add(
    sketch: LineSketch,
    stations: readonly Station[],
    more: Partial<Pick<CityLine, 'branch' | 'isLoop'>> = {},
  ): void {
    if (stations.length < 3) throw new Error(`line ${sketch.code} has only ${stations.length} stations`)
    const index = this.lines.length
    const color = lineColor(sketch.mode, index)
    this.lines.push({
      ...sketch,
      id: `L${sketch.code.replaceAll(' ', '')}`,
      color,
      textColor: textColorOn(color),
      agencyId: sketch.mode === 'ferry' ? RIVER : URBAN,
      sortOrder: index + 1,
      stations,
      branch: more.branch,
      isLoop: more.isLoop ?? false,
    })
  }
}

const STEPS_PER_SPAN = 60

/** A Catmull-Rom spline through points, in short steps. */
export function smoothWay(points: readonly Point[], steps = STEPS_PER_SPAN): Point[] {
  const way: Point[] = []
  for (let i = 0; i + 1 < points.length; i++) {
    const [a, b, c, d] = [points[i - 1] ?? points[i], points[i], points[i + 1], points[i + 2] ?? points[i + 1]] as [
      Point,
      Point,
      Point,
      Point,
    ]
    for (let step = 0; step < steps; step++) {
      const t = step / steps
      way.push({ x: spline([a.x, b.x, c.x, d.x], t), y: spline([a.y, b.y, c.y, d.y], t) })
    }
  }
  const end = points.at(-1)
  if (end !== undefined) way.push(end)
  return way
}

function spline([a, b, c, d]: readonly [number, number, number, number], t: number): number {
  return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t ** 2 + (3 * b - a - 3 * c + d) * t ** 3)
}

/** A color of its own for each line: hues by the golden angle, strong for metro and tram. */
function lineColor(mode: CityMode, index: number): string {
  if (mode === 'ferry') return '0B7EA8'
  const hue = (index * 137.508) % 360
  const [saturation, lightness] = mode === 'bus' ? [0.5, 0.42] : [0.78, 0.46]
  const channel = (offset: number) => {
    const k = (offset + hue / 30) % 12
    const value = lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0')
      .toUpperCase()
  }
  return channel(0) + channel(8) + channel(4)
}

/** Black or white, whichever stands out more (WCAG relative luminance). */
function textColorOn(color: string): string {
  const linear = [0, 2, 4].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  const luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? 'FFFFFF' : '000000'
}
