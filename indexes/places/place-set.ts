// The places from one source, stored as columns: an index of the names by word, the places with each name, and their
// towns and positions. All addresses form one set, all towns another, and the stops and areas of each network one more.
// The same code searches all of them. A set is built during an import, and is later read without being copied.
//
//   names, best first     0: Rue de Paris     1: Rue du Bac …
//   places by name        firstEntry … endEntry of each name; bestEntries has the same ranges, best first
//   places by town        townOffset → townEntries, best first
import { type Column, firstWhere, type Index, KeySorter, NONE, sealColumn } from '../../loaders/columns.ts'
import { buildNameIndex, type NameIndex } from '../text/name-index.ts'
import { buildWholeNames, type WholeNames } from '../text/whole-names.ts'

/** The number of a place in its set. Places of the same name have consecutive numbers. */
export type EntryIndex = Index<'Entry'>

/** Converts a number to the index of a place. */
export function entryAt(number: number): EntryIndex {
  return number as EntryIndex
}

/** A set of places: the columns that a search reads. */
export interface PlaceSet {
  /**
   * The names, sorted by the importance of their most important place, highest first. Ties keep the order of the
   * source.
   */
  readonly names: NameIndex
  readonly wholeNames: WholeNames
  /** Name → its first place. */
  readonly firstEntry: Column<number, EntryIndex>
  /** Name → the index of its last place, plus one. */
  readonly endEntry: Column<number, EntryIndex>
  /** Name → the importance of its most important place. */
  readonly nameImportance: Column<number>
  /** Name → the highest house number among its places; 0 if they have no houses. */
  readonly highestNumber: Column<number>
  /**
   * The places of each name, most important first. Each name has the same range here as in the set itself: from
   * `firstEntry` up to, but not including, `endEntry`.
   */
  readonly bestEntries: Column<number, EntryIndex>
  /** Block → the highest house number among its NUMBER_BLOCK places in `bestEntries`. */
  readonly blockNumber: Column<number>
  /** Place → its name. */
  readonly nameOfEntry: Column<EntryIndex>
  readonly towns: NameIndex
  /** Town → its first row in `townEntries`; one extra entry marks the end. */
  readonly townOffset: Column<number>
  /** The places of each town, the most important first. */
  readonly townEntries: Column<number, EntryIndex>
  /**
   * Four numbers per town: the southern, western, northern and eastern limits of its places, in units of 1e-7 degrees.
   */
  readonly townBox: Column<number>
  /** The postcodes, ascending. */
  readonly postcodes: Column<number>
  /** Postcode → its first row in `postcodeTown`; one extra entry marks the end. */
  readonly postcodeOffset: Column<number>
  /** For each postcode, the towns that have places with this postcode. */
  readonly postcodeTown: Column<number>
  /** Place → its town; NONE if it has no town. */
  readonly town: Column<EntryIndex>
  /** Place → its postcode as a five-digit number; NONE if it has none. */
  readonly postcode: Column<EntryIndex>
  /** Place → its importance from 0 to 255, on a logarithmic scale. */
  readonly importance: Column<EntryIndex>
  /** In units of 1e-7 degrees. */
  readonly lat: Column<EntryIndex>
  readonly lon: Column<EntryIndex>
}

/** Number of entries in `bestEntries` that one entry in `blockNumber` covers. */
export const NUMBER_BLOCK = 32

/** Finds the houses of a place by number. */
export interface HouseFinder {
  /**
   * The house with this number and suffix; NONE if there is no such house. An equivalent suffix also counts, such as
   * `bis` for `b`. An empty suffix means a house without a suffix. If `isUnfinished`, a house whose suffix starts with
   * `suffix` is also accepted.
   */
  findHouse(entry: EntryIndex, wanted: { number: number; suffix: string; isUnfinished: boolean }): number
  /** A house with this number, with or without a suffix; NONE if there is none. */
  findNumber(entry: EntryIndex, number: number): number
  /** The highest house number of a place; 0 if it has no houses. */
  highestNumber(entry: EntryIndex): number
}

/** A place that matches a query, and its score. */
export interface EntryHit {
  readonly entry: EntryIndex
  /** The house with the number in the query; NONE if the hit is the place itself. */
  readonly house: number
  /** 0 to 1; see place-score.ts. */
  readonly score: number
  /** Whether words of the query are misspelled or missing in this hit. */
  readonly isGuess: boolean
}

/** The input from which a set is built. Places of the same name are consecutive. */
export interface PlaceSource extends Pick<PlaceSet, 'town' | 'postcode' | 'importance' | 'lat' | 'lon'> {
  readonly names: readonly string[]
  /** Name → its first place; one extra entry marks the end. */
  readonly entryOffset: ArrayLike<number>
  readonly towns: readonly string[]
  /** The highest house number of a place. */
  readonly highestNumber?: (entry: EntryIndex) => number
}

/** Builds a set. */
export function buildPlaceSet(source: PlaceSource): PlaceSet {
  const { town, postcode, importance, lat, lon } = source
  const order = orderNames(source)
  const nameIndex = buildNameIndex(order.map((name) => source.names[name]))
  return {
    names: nameIndex,
    wholeNames: buildWholeNames(nameIndex),
    ...placesByName(source, order),
    towns: buildNameIndex(source.towns),
    ...placesByTown(source),
    ...townsByPostcode(source),
    town,
    postcode,
    importance,
    lat,
    lon,
  }
}

/**
 * Sorts the names by the importance of their most important place, highest first. Ties keep the order of the source.
 */
function orderNames({ names, entryOffset, importance }: PlaceSource): number[] {
  const best = new Uint8Array(names.length)
  for (let name = 0; name < names.length; name++) {
    for (let entry = entryAt(entryOffset[name]); entry < entryOffset[name + 1]; entry++) {
      best[name] = Math.max(best[name], importance[entry])
    }
  }
  return Array.from(names, (_, name) => name).sort((a, b) => best[b] - best[a] || a - b)
}

function placesByName(source: PlaceSource, order: readonly number[]) {
  const { entryOffset, importance, highestNumber = () => 0 } = source
  const entryCount = importance.length
  const firstEntry = new Uint32Array(order.length)
  const endEntry = new Uint32Array(order.length)
  const nameImportance = new Uint8Array(order.length)
  const highest = new Uint16Array(order.length)
  const bestEntries = new Uint32Array(entryCount)
  const nameOfEntry = new Uint32Array(entryCount)
  const sorter = new ImportanceSorter(importance)
  for (const [name, given] of order.entries()) {
    const first = entryOffset[given]
    const end = entryOffset[given + 1]
    firstEntry[name] = first
    endEntry[name] = end
    for (let entry = entryAt(first); entry < end; entry++) {
      bestEntries[entry] = entry
      nameOfEntry[entry] = name
      highest[name] = Math.max(highest[name], highestNumber(entry))
    }
    sorter.sort(bestEntries, first, end)
    nameImportance[name] = importance[entryAt(bestEntries[first])]
  }
  const blockNumber = new Uint16Array(Math.ceil(entryCount / NUMBER_BLOCK))
  for (let at = 0; at < entryCount; at++) {
    const block = Math.floor(at / NUMBER_BLOCK)
    blockNumber[block] = Math.max(blockNumber[block], highestNumber(entryAt(bestEntries[at])))
  }
  return {
    firstEntry: sealColumn<number, EntryIndex>(firstEntry),
    endEntry: sealColumn<number, EntryIndex>(endEntry),
    nameImportance: sealColumn<number>(nameImportance),
    highestNumber: sealColumn<number>(highest),
    bestEntries: sealColumn<number, EntryIndex>(bestEntries),
    blockNumber: sealColumn<number>(blockNumber),
    nameOfEntry: sealColumn<EntryIndex>(nameOfEntry),
  }
}

/** Sorts ranges of places by importance, the highest first; ties keep their order. */
class ImportanceSorter {
  private readonly importance: Column<EntryIndex>
  private readonly sorter = new KeySorter()

  constructor(importance: Column<EntryIndex>) {
    this.importance = importance
  }

  sort(entries: Uint32Array, first: number, end: number): void {
    const { importance, sorter } = this
    const count = end - first
    if (count < 2) return
    sorter.open(count)
    const { keys } = sorter
    // Each key combines the importance and the place number, because sorting numbers is faster than comparing two
    // columns.
    for (let at = 0; at < count; at++) {
      const entry = entries[first + at]
      keys[at] = (255 - importance[entryAt(entry)]) * 2 ** 32 + entry
    }
    sorter.sort(count)
    for (let at = 0; at < count; at++) entries[first + at] = keys[at] % 2 ** 32
  }
}

const BOX = 4

function placesByTown({ towns, town, importance, lat, lon }: PlaceSource) {
  const townOffset = new Uint32Array(towns.length + 1)
  for (let entry = entryAt(0); entry < town.length; entry++) {
    if (town[entry] !== NONE) townOffset[town[entry] + 1] += 1
  }
  for (let at = 0; at < towns.length; at++) townOffset[at + 1] += townOffset[at]
  const next = townOffset.slice()
  const sorter = new ImportanceSorter(importance)
  const townEntries = new Uint32Array(townOffset[towns.length])
  const townBox = new Int32Array(towns.length * BOX)
  for (let at = 0; at < towns.length; at++) townBox.set([2 ** 31 - 1, 2 ** 31 - 1, -(2 ** 31), -(2 ** 31)], at * BOX)
  for (let entry = entryAt(0); entry < town.length; entry++) {
    if (town[entry] === NONE) continue
    townEntries[next[town[entry]]++] = entry
    const box = town[entry] * BOX
    townBox[box] = Math.min(townBox[box], lat[entry])
    townBox[box + 1] = Math.min(townBox[box + 1], lon[entry])
    townBox[box + 2] = Math.max(townBox[box + 2], lat[entry])
    townBox[box + 3] = Math.max(townBox[box + 3], lon[entry])
  }
  for (let at = 0; at < towns.length; at++) {
    sorter.sort(townEntries, townOffset[at], townOffset[at + 1])
  }
  return {
    townOffset: sealColumn<number>(townOffset),
    townEntries: sealColumn<number, EntryIndex>(townEntries),
    townBox: sealColumn<number>(townBox),
  }
}

function townsByPostcode({ town, postcode }: PlaceSource) {
  const pairs = new Set<number>()
  for (let entry = entryAt(0); entry < town.length; entry++) {
    if (town[entry] !== NONE && postcode[entry] !== NONE) pairs.add(postcode[entry] * 2 ** 32 + town[entry])
  }
  const sorted = Float64Array.from(pairs).sort()
  const postcodes: number[] = []
  const postcodeOffset: number[] = []
  for (const [at, pair] of sorted.entries()) {
    const code = Math.floor(pair / 2 ** 32)
    if (code === postcodes.at(-1)) continue
    postcodes.push(code)
    postcodeOffset.push(at)
  }
  postcodeOffset.push(sorted.length)
  return {
    postcodes: sealColumn<number>(Uint32Array.from(postcodes)),
    postcodeOffset: sealColumn<number>(Uint32Array.from(postcodeOffset)),
    postcodeTown: sealColumn<number>(Uint32Array.from(sorted, (pair) => pair % 2 ** 32)),
  }
}

/** Number of digits in a French postcode. */
export const POSTCODE_DIGITS = 5
const POSTCODE = /^\d{5}$/

/** A postcode as a number; NONE if the text is not a postcode. */
export function parsePostcode(text: string): number {
  return POSTCODE.test(text) ? Number(text) : NONE
}

/** The postcodes that start with the given digits, as a range of indexes into `postcodes`. */
export function findPostcodes(
  { postcodes }: PlaceSet,
  start: { readonly digits: number; readonly length: number },
): { readonly first: number; readonly end: number } {
  const unit = 10 ** (POSTCODE_DIGITS - start.length)
  const low = start.digits * unit
  const first = firstWhere(0, postcodes.length, (at) => postcodes[at] >= low)
  return { first, end: firstWhere(first, postcodes.length, (at) => postcodes[at] >= low + unit) }
}
