// Writes the OpenStreetMap extract of a generated country, in uncompressed blocks. The country consists of towns side
// by side, with streets and, as in real extracts, more buildings than streets.
import { closeSync, openSync, writeSync } from 'node:fs'
import { ByteWriter } from '../loaders/osm/byte-writer.ts'
import { encodeBlob, writePbf } from '../loaders/osm/pbf-writer.ts'

/** Number of towns per row. */
const ROW = 120
/** Distances between towns in units of 1e-7 degrees: 5.6 km to the north, about 3.8 km to the east. */
const TOWN = { high: 500_000, wide: 500_000 }
const SOUTH_WEST = { lat: 420_000_000, lon: -40_000_000 }
/**
 * Number of crossings in a town in each direction. Streets form a grid with 140 m between crossings, and have further
 * nodes between the crossings.
 */
const CROSSINGS = 20
const BETWEEN = 3
const CROSSING_STEP = 12_600
/** Number of buildings per town, each with four corners. */
const BUILDINGS = 2_250
/** Number of elements per block. */
const BLOCK = 8_000

interface Town {
  readonly lat: number
  readonly lon: number
}

function townAt(number: number): Town {
  return {
    lat: SOUTH_WEST.lat + Math.floor(number / ROW) * TOWN.high,
    lon: SOUTH_WEST.lon + (number % ROW) * TOWN.wide,
  }
}

/** An OpenStreetMap way in a town. Its nodes are numbered within the town. */
interface TownWay {
  readonly refs: readonly number[]
  readonly tags: readonly number[]
}

const STRINGS = ['', 'highway', 'residential', 'name', 'footway', 'building', 'yes']
/** The street names. In a block's string table, they follow the entries of `STRINGS`. */
const NAMES = Array.from({ length: CROSSINGS }, (_, street) => `Rue ${street + 1}`)

/** The nodes of a town, relative to the town's corner, and its OpenStreetMap ways. */
function drawTown(): { readonly places: readonly Town[]; readonly ways: readonly TownWay[] } {
  const places: Town[] = []
  const ways: TownWay[] = []
  const add = (lat: number, lon: number) => places.push({ lat: Math.round(lat), lon: Math.round(lon) }) - 1
  const crossings = Array.from({ length: CROSSINGS ** 2 }, (_, at) =>
    add(Math.floor(at / CROSSINGS) * CROSSING_STEP, (at % CROSSINGS) * CROSSING_STEP),
  )
  const lead = (street: number, at: number, isEast: boolean) => {
    const next = crossings[isEast ? at + 1 : at + CROSSINGS] ?? 0
    const { lat, lon } = places[crossings[at] ?? 0] ?? { lat: 0, lon: 0 }
    const between = Array.from({ length: BETWEEN }, (_, part) => {
      const along = ((part + 1) * CROSSING_STEP) / (BETWEEN + 1)
      const aside = 90 * Math.sin(part + street)
      return isEast ? add(lat + aside, lon + along) : add(lat + along, lon + aside)
    })
    const kind = street % 3 === 0 ? 4 : 2
    const tags = kind === 4 ? [1, 4] : [1, kind, 3, STRINGS.length + street]
    ways.push({ refs: [crossings[at] ?? 0, ...between, next], tags })
  }
  for (let at = 0; at < crossings.length; at++) {
    const [row, column] = [Math.floor(at / CROSSINGS), at % CROSSINGS]
    if (column + 1 < CROSSINGS) lead(row, at, true)
    if (row + 1 < CROSSINGS) lead(column, at, false)
  }
  for (let building = 0; building < BUILDINGS; building++) {
    const [lat, lon] = [((building * 7_919) % 239) * 1_000 + 300, ((building * 104_729) % 241) * 1_000 + 300]
    const corners = [add(lat, lon), add(lat + 150, lon), add(lat + 150, lon + 200), add(lat, lon + 200)]
    ways.push({ refs: [...corners, ...corners.slice(0, 1)], tags: [5, 6] })
  }
  return { places, ways }
}

/** A block of nodes. The blocks of two towns differ only in their first id and their position. */
class NodeBlock {
  private readonly first: number
  private readonly place: Town
  private readonly rest: { readonly ids: Uint8Array; readonly lats: Uint8Array; readonly lons: Uint8Array }
  private readonly metadata: Uint8Array

  constructor(places: readonly Town[], first: number, end: number) {
    const [ids, lats, lons] = [new ByteWriter(), new ByteWriter(), new ByteWriter()]
    const lists = [new ByteWriter(), new ByteWriter(), new ByteWriter()] as const
    this.first = first
    this.place = places[first] ?? { lat: 0, lon: 0 }
    let last = this.place
    for (let at = first; at < end; at++) {
      const place = places[at] ?? last
      // A node's metadata: its version, then its time and its changeset, both as differences from the previous node.
      // The differences are small, as if the area had been edited in one session.
      lists[0].varint(1 + (at % 4))
      lists[1].zigzag(at === first ? 1_400_000_000 : ((at * 7_919) % 4_001) - 2_000)
      lists[2].zigzag(at === first ? 80_000_000 : ((at * 104_729) % 301) - 150)
      if (at > first) {
        ids.zigzag(1)
        lats.zigzag(place.lat - last.lat)
        lons.zigzag(place.lon - last.lon)
      }
      last = place
    }
    this.rest = { ids: ids.bytes(), lats: lats.bytes(), lons: lons.bytes() }
    const metadata = new ByteWriter()
    for (const [at, list] of lists.entries()) metadata.message(at + 1, list.bytes())
    this.metadata = metadata.bytes()
  }

  /** @param firstId id of the town's first node */
  encode({ lat, lon }: Town, firstId: number): Uint8Array {
    const dense = new ByteWriter()
    const put = (field: number, value: number, rest: Uint8Array) => {
      const list = new ByteWriter()
      list.zigzag(value)
      dense.message(field, Buffer.concat([list.bytes(), rest]))
    }
    put(1, firstId + this.first, this.rest.ids)
    dense.message(5, this.metadata)
    put(8, lat + this.place.lat, this.rest.lats)
    put(9, lon + this.place.lon, this.rest.lons)
    return encodeBlock(2, [dense.bytes()])
  }
}

/** An OpenStreetMap way. The ways of two towns differ only in their id and their first node. */
class WayTemplate {
  private readonly first: number
  /** The bytes of the fields before the nodes. */
  private readonly head: Uint8Array
  /** The bytes of the nodes after the first. */
  private readonly rest: Uint8Array

  constructor({ refs, tags }: TownWay) {
    const [keys, values, info] = [new ByteWriter(), new ByteWriter(), new ByteWriter()]
    const [head, rest] = [new ByteWriter(), new ByteWriter()]
    for (let at = 0; at < tags.length; at += 2) {
      keys.varint(tags[at] ?? 0)
      values.varint(tags[at + 1] ?? 0)
    }
    info.number(1, 2)
    info.number(2, 1_400_000_000)
    info.number(3, 80_000_000)
    head.message(2, keys.bytes())
    head.message(3, values.bytes())
    head.message(4, info.bytes())
    this.first = refs[0] ?? 0
    for (let at = 1; at < refs.length; at++) rest.zigzag((refs[at] ?? 0) - (refs[at - 1] ?? 0))
    this.head = head.bytes()
    this.rest = rest.bytes()
  }

  encode(id: number, firstNode: number): Uint8Array {
    const [way, refs] = [new ByteWriter(), new ByteWriter()]
    refs.zigzag(firstNode + this.first)
    way.number(1, id)
    return Buffer.concat([way.bytes(), this.head, listOf(8, [refs.bytes(), this.rest])])
  }
}

function listOf(field: number, parts: readonly Uint8Array[]): Uint8Array {
  const writer = new ByteWriter()
  writer.message(field, Buffer.concat(parts))
  return writer.bytes()
}

const STRING_TABLE = (() => {
  const writer = new ByteWriter()
  for (const text of [...STRINGS, ...NAMES]) writer.text(1, text)
  return writer.bytes()
})()

function encodeBlock(field: number, elements: readonly Uint8Array[]): Uint8Array {
  const [group, block] = [new ByteWriter(), new ByteWriter()]
  for (const element of elements) group.message(field, element)
  block.message(1, STRING_TABLE)
  block.message(2, group.bytes())
  return encodeBlob('OSMData', block.bytes(), { compression: 'raw' })
}

/** Writes enough towns to fill a file of the given size. Returns the number of towns. */
export function writeCountry(path: string, bytes: number): number {
  const { places, ways } = drawTown()
  const blocks: NodeBlock[] = []
  for (let at = 0; at < places.length; at += BLOCK) {
    blocks.push(new NodeBlock(places, at, Math.min(at + BLOCK, places.length)))
  }
  const templates = ways.map((way) => new WayTemplate(way))
  const waysOf = (town: number) =>
    encodeBlock(
      3,
      templates.map((way, at) => way.encode(1 + town * ways.length + at, 1 + town * places.length)),
    )
  const nodesOf = (town: number) => blocks.map((block) => block.encode(townAt(town), 1 + town * places.length))
  const townBytes = Buffer.concat([...nodesOf(1e4), waysOf(1e4)]).length
  const towns = Math.ceil(bytes / townBytes)
  const file = openSync(path, 'w')
  try {
    for (const header of writePbf([], { isSorted: true })) writeSync(file, header)
    for (let town = 0; town < towns; town++) for (const bytes of nodesOf(town)) writeSync(file, bytes)
    for (let town = 0; town < towns; town++) writeSync(file, waysOf(town))
  } finally {
    closeSync(file)
  }
  return towns
}

/** Places for the stops of a country with `towns` towns: four stops per town, at crossings. */
export function countryStops(towns: number): { readonly lat: number; readonly lon: number }[] {
  const quarter = Math.floor(CROSSINGS / 4) * CROSSING_STEP
  return Array.from({ length: 4 * towns }, (_, stop) => {
    const { lat, lon } = townAt(Math.floor(stop / 4))
    const [north, east] = [1 + 2 * (stop & 1), 1 + 2 * ((stop >> 1) & 1)]
    return { lat: (lat + north * quarter) / 1e7, lon: (lon + east * quarter) / 1e7 }
  })
}
