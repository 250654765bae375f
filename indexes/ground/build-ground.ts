// Builds the features of the base map: lines from ways, areas from closed ways and relations, and the sea from
// coastlines.
import {
  GROUND_BRIDGE,
  GROUND_COAST,
  GROUND_KINDS,
  GROUND_TUNNEL,
  KIND_MASK,
  NO_KIND,
  OCEAN_KIND,
} from '../../loaders/osm/ground-kinds.ts'
import type { KeptArea, KeptBox } from '../../loaders/osm/kept-area.ts'
import { type LoadedGround, NO_COORDINATE } from '../../loaders/osm/load-ground.ts'
import { EMPTY_STRING } from '../../loaders/strings.ts'
import { makeSea } from './coast.ts'
import { joinCoasts } from './coast-lines.ts'
import {
  FeatureCollector,
  type FeatureLook,
  type GroundFeatures,
  IS_AREA,
  IS_LINE,
  IS_POINT,
  type PlaneLine,
} from './ground-features.ts'
import { type PlaneBox, planeX, planeY } from './plane.ts'
import { groupRings, holdsPoint, joinLines } from './rings.ts'

/** The features of the base map, and counts for operators. */
export interface BuiltGround {
  readonly features: GroundFeatures
  /** Number of areas whose outline is incomplete in the files. Only the complete rings of such areas are drawn. */
  readonly openAreas: number
  /**
   * Number of coastlines that end within the area or have the wrong direction. If a coastline crosses the edge of the
   * area and has one end inside, the sea next to that coastline is not drawn.
   */
  readonly brokenCoasts: number
  /** Number of parts of the sea that contain streets. Such parts are not drawn. */
  readonly floodedSeas: number
}

/**
 * Maximum number of streets in a part of the sea. A real part of the sea has only a few streets, such as those on piers
 * and causeways.
 */
const MOST_STREETS_AT_SEA = 3

/**
 * Builds the features of the base map.
 * @param kept the area in which the sea is drawn; if undefined, the extent of all features
 */
export function buildGround(loaded: LoadedGround, kept: KeptArea | undefined): BuiltGround {
  return new GroundBuilder(loaded).build(kept)
}

class GroundBuilder {
  private readonly loaded: LoadedGround
  private readonly features = new FeatureCollector()
  private openAreas = 0
  /**
   * An area that consists of several ways is built only if it touches this box. If the box is undefined, all areas are
   * built.
   */
  private box: PlaneBox | undefined
  /**
   * The ends of all streets except tunnels and bridges: for each street, x and y of its first end, then of its second
   * end.
   */
  private readonly streets: number[] = []

  constructor(loaded: LoadedGround) {
    this.loaded = loaded
  }

  build(kept: KeptArea | undefined): BuiltGround {
    const { ways, places } = this.loaded
    const keptBox = kept?.box()
    this.box = keptBox === undefined ? undefined : toPlaneBox(keptBox)
    for (let way = 0; way < ways.count; way++) this.addWay(way)
    for (const relation of this.loaded.relations) this.addRelation(relation)
    for (const { lat, lon, kind, name } of places) {
      this.features.add(this.look({ kind, name, shape: IS_POINT }), [[planeX(lon), planeY(lat)]])
    }
    const sea = this.addSea()
    return { features: this.features.seal(), openAreas: this.openAreas, ...sea }
  }

  private look(given: Pick<FeatureLook, 'kind' | 'name' | 'shape'> & { readonly flags?: number }): FeatureLook {
    const { kind, name, shape, flags = 0 } = given
    return { shape, kind, name, isTunnel: (flags & GROUND_TUNNEL) !== 0, leastZoom: GROUND_KINDS[kind].leastZoom }
  }

  private addWay(way: number): void {
    const { ways } = this.loaded
    const flags = ways.flags(way)
    const kind = flags & KIND_MASK
    if (kind === NO_KIND) return
    const nodes = this.nodesOf(way)
    const name = ways.name(way)
    if (GROUND_KINDS[kind].isArea) {
      if (nodes.length < 4 || nodes[0] !== nodes[nodes.length - 1]) return
      if (nodes.every((node) => this.isKnown(node))) {
        this.features.add(this.look({ kind, name, shape: IS_AREA, flags }), [this.toPlane(nodes)])
      } else this.openAreas++
      return
    }
    for (const part of this.knownParts(nodes)) {
      const line = this.toPlane(part)
      this.features.add(this.look({ kind, name, shape: IS_LINE, flags }), [line])
      this.noteStreet(line, kind, flags)
    }
  }

  private noteStreet(line: PlaneLine, kind: number, flags: number): void {
    const word = GROUND_KINDS[kind].kind
    if ((word !== 'minor_road' && word !== 'major_road') || (flags & (GROUND_TUNNEL | GROUND_BRIDGE)) !== 0) return
    this.streets.push(line[0], line[1], line[line.length - 2], line[line.length - 1])
  }

  private addRelation({ ways, kind, name }: LoadedGround['relations'][number]): void {
    const pieces = ways.flatMap((way) => (way === undefined ? [] : [this.nodesOf(way)]))
    if (!this.isNear(pieces)) return
    const usable = pieces.filter((nodes) => nodes.length > 1 && nodes.every((node) => this.isKnown(node)))
    const { rings, open } = joinLines(usable, false)
    if (open.length > 0 || usable.length < ways.length) this.openAreas++
    for (const group of groupRings(rings.map((ring) => this.toPlane(ring)))) {
      this.features.add(this.look({ kind, name, shape: IS_AREA }), group)
    }
  }

  /** Whether the bounding box of an area touches `box`. Nodes that have no position in the files are ignored. */
  private isNear(pieces: readonly (readonly number[])[]): boolean {
    const { box } = this
    if (box === undefined) return true
    const { lat, lon } = this.loaded
    let [south, west, north, east] = [Infinity, Infinity, -Infinity, -Infinity]
    for (const nodes of pieces) {
      for (const node of nodes) {
        if (!this.isKnown(node)) continue
        south = Math.min(south, lat[node])
        north = Math.max(north, lat[node])
        west = Math.min(west, lon[node])
        east = Math.max(east, lon[node])
      }
    }
    if (south > north) return false
    const { minX, minY, maxX, maxY } = toPlaneBox({ south, west, north, east })
    return minX <= box.maxX && maxX >= box.minX && minY <= box.maxY && maxY >= box.minY
  }

  private addSea(): Pick<BuiltGround, 'brokenCoasts' | 'floodedSeas'> {
    const { ways } = this.loaded
    const pieces: (readonly number[])[] = []
    for (let way = 0; way < ways.count; way++) {
      if ((ways.flags(way) & GROUND_COAST) !== 0) pieces.push(...this.knownParts(this.nodesOf(way)))
    }
    const box = this.box === undefined ? this.wholeBox() : withoutNodesOnEdge(this.box)
    if (pieces.length === 0 || box === undefined) return { brokenCoasts: 0, floodedSeas: 0 }
    const joined = joinCoasts(pieces, this.loaded)
    const toPlane = (lines: readonly (readonly number[])[]) => lines.map((line) => this.toPlane(line))
    const sea = makeSea(toPlane(joined.rings), toPlane(joined.open), box)
    let floodedSeas = 0
    for (const area of sea.areas) {
      const isGuessed = sea.loose.some((line) => holdsPoint(area[0], line[0], line[1]))
      if (this.isFlooded(area, isGuessed)) floodedSeas++
      else this.features.add(this.look({ kind: OCEAN_KIND, name: EMPTY_STRING, shape: IS_AREA }), area)
    }
    return { brokenCoasts: sea.broken + joined.turned, floodedSeas }
  }

  /**
   * Whether a part of the sea contains too many streets. If the land next to that part is guessed, one street that ends
   * in the water is already too many.
   */
  private isFlooded([outer, ...holes]: readonly PlaneLine[], isGuessed: boolean): boolean {
    const { streets } = this
    const isWater = (x: number, y: number) => holdsPoint(outer, x, y) && !holes.some((hole) => holdsPoint(hole, x, y))
    let count = 0
    for (let at = 0; at < streets.length; at += 4) {
      const [x1, y1, x2, y2] = [streets[at], streets[at + 1], streets[at + 2], streets[at + 3]]
      if (isGuessed && (isWater(x1, y1) || isWater(x2, y2))) return true
      if (isWater((x1 + x2) / 2, (y1 + y2) / 2)) count++
    }
    return count > MOST_STREETS_AT_SEA
  }

  private wholeBox(): PlaneBox | undefined {
    const { count, boxes } = this.features.seal()
    if (count === 0) return undefined
    let [minX, minY, maxX, maxY] = boxes
    for (let at = 4; at < boxes.length; at += 4) {
      minX = Math.min(minX, boxes[at])
      minY = Math.min(minY, boxes[at + 1])
      maxX = Math.max(maxX, boxes[at + 2])
      maxY = Math.max(maxY, boxes[at + 3])
    }
    return { minX, minY, maxX, maxY }
  }

  private nodesOf(way: number): number[] {
    const { ways } = this.loaded
    const nodes = new Array<number>(ways.readNodes(way))
    for (let at = 0; at < nodes.length; at++) nodes[at] = ways.nodes[at]
    return nodes
  }

  private isKnown(node: number): boolean {
    return this.loaded.lat[node] !== NO_COORDINATE
  }

  /** Splits a way at nodes that have no position in the files. Returns the parts that have at least two nodes. */
  private knownParts(nodes: readonly number[]): (readonly number[])[] {
    if (nodes.length > 1 && nodes.every((node) => this.isKnown(node))) return [nodes]
    const parts: number[][] = [[]]
    for (const node of nodes) {
      if (this.isKnown(node)) parts[parts.length - 1].push(node)
      else if (parts[parts.length - 1].length > 0) parts.push([])
    }
    return parts.filter(({ length }) => length > 1)
  }

  private toPlane(nodes: readonly number[]): PlaneLine {
    const { lat, lon } = this.loaded
    const line = new Array<number>(2 * nodes.length)
    for (let at = 0; at < nodes.length; at++) {
      line[2 * at] = planeX(lon[nodes[at]])
      line[2 * at + 1] = planeY(lat[nodes[at]])
    }
    return line
  }
}

function toPlaneBox({ south, west, north, east }: KeptBox): PlaneBox {
  return { minX: planeX(west), minY: planeY(north), maxX: planeX(east), maxY: planeY(south) }
}

/**
 * Extends the box by half a unit on each side. Nodes are at whole units, so no node is then on the edge of the box.
 * This matters because a coastline with a node on the edge would neither enter nor leave the box.
 */
function withoutNodesOnEdge({ minX, minY, maxX, maxY }: PlaneBox): PlaneBox {
  return { minX: minX - 0.5, minY: minY - 0.5, maxX: maxX + 0.5, maxY: maxY + 0.5 }
}
