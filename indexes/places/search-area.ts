// The area in which a search looks for addresses: the surroundings of all stops in one or more networks.
import { type Box, boxOfHull, type Hull, isNearHull } from '../spatial/convex-hull.ts'
import type { PlaceSet } from './place-set.ts'

/** Addresses are searched within this distance of the hull of a network's stops. */
const MARGIN_METERS = 2000
/** If the towns around the requested networks have more places than this, searching by town is not faster. */
const MANY_ENTRIES = 500_000
const UNITS_PER_DEGREE = 1e7
const BOX = 4

/** The surroundings of one or more networks. An instance is reused until the networks or the addresses change. */
export class SearchArea {
  private readonly hulls: readonly Hull[]
  private readonly boxes: readonly Box[]
  private readonly towns = new WeakMap<PlaceSet, readonly number[] | 'many'>()

  constructor(hulls: readonly Hull[]) {
    this.hulls = hulls.filter(({ lat }) => lat.length > 0)
    this.boxes = this.hulls.map((hull) => boxOfHull(hull, MARGIN_METERS))
  }

  /** Whether a point, in units of 1e-7 degrees, is in the area. */
  has(latUnits: number, lonUnits: number): boolean {
    const point = { lat: latUnits / UNITS_PER_DEGREE, lon: lonUnits / UNITS_PER_DEGREE }
    return this.hulls.some((hull, at) => isInBox(this.boxes[at], point) && isNearHull(hull, point, MARGIN_METERS))
  }

  /** The towns of a set that may have places in the area. Undefined if they have more than MANY_ENTRIES places. */
  townsOf(set: PlaceSet): readonly number[] | undefined {
    let towns = this.towns.get(set)
    if (towns === undefined) {
      towns = this.listTowns(set)
      this.towns.set(set, towns)
    }
    return towns === 'many' ? undefined : towns
  }

  private listTowns({ townBox, townOffset }: PlaceSet): readonly number[] | 'many' {
    const towns: number[] = []
    let entryCount = 0
    for (let town = 0; town + 1 < townOffset.length; town++) {
      const [south, west, north, east] = [0, 1, 2, 3].map((side) => townBox[town * BOX + side] / UNITS_PER_DEGREE)
      const meets = this.boxes.some(
        (box) => south <= box.maxLat && north >= box.minLat && west <= box.maxLon && east >= box.minLon,
      )
      if (!meets) continue
      towns.push(town)
      entryCount += townOffset[town + 1] - townOffset[town]
      if (entryCount > MANY_ENTRIES) return 'many'
    }
    return towns
  }
}

function isInBox({ minLat, minLon, maxLat, maxLon }: Box, { lat, lon }: { lat: number; lon: number }): boolean {
  return lat >= minLat && lat <= maxLat && lon >= minLon && lon <= maxLon
}
