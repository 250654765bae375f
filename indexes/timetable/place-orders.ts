// The orders in which stops and areas are listed: by name, and by daily departures. Computed during the build. Stops
// and areas are numbered together: a stop's number is its index, and an area's number is its index plus the number of
// stops.
import { columnArray, sealColumn } from '../../loaders/columns.ts'
import type { StringIndex, StringPoolBuilder } from '../../loaders/strings.ts'
import { compareCodeUnits, naturalKey } from '../text/natural-order.ts'
import { normalizeWords } from '../text/normalize.ts'
import type { Areas, PlaceOrders, Stops } from './timetable.ts'

/** Inputs to `buildPlaceOrders`. */
interface Ground {
  readonly stops: Pick<Stops, 'name' | 'code' | 'dailyDepartures'>
  readonly areas: Pick<Areas, 'name' | 'code' | 'stopOffset' | 'stopAt'>
}

/**
 * Builds the orders. Adds the names and codes to the string pool in the form in which they are compared: without
 * accents, case and punctuation.
 */
export function buildPlaceOrders(texts: StringPoolBuilder, { stops, areas }: Ground): PlaceOrders {
  const stopCount = stops.name.length
  const nameOf = [...columnArray(stops.name), ...columnArray(areas.name)] as StringIndex[]
  const codeOf = [...columnArray(stops.code), ...columnArray(areas.code)] as StringIndex[]
  const count = nameOf.length
  const names = nameOf.map((name) => texts.textOf(name))
  const folded = new Map<StringIndex, StringIndex>()
  const fold = (text: StringIndex): StringIndex => {
    let plain = folded.get(text)
    if (plain === undefined) {
      plain = texts.internText(normalizeWords(texts.textOf(text)).join(' '))
      folded.set(text, plain)
    }
    return plain
  }
  const plainName = Uint32Array.from(nameOf, fold)
  const plainCode = Uint32Array.from(codeOf, fold)
  const dailyDepartures = countDepartures({ stops, areas })
  const keys = names.map(naturalKey)
  // Stops are numbered in id order, and so are areas. So comparing two numbers of the same kind compares the ids.
  const compareNames = (a: number, b: number) =>
    compareCodeUnits(keys[a], keys[b]) ||
    compareCodeUnits(names[a], names[b]) ||
    Number(a < stopCount) - Number(b < stopCount) ||
    a - b
  const byName = Uint32Array.from({ length: count }, (_, number) => number).sort(compareNames)
  const nameRank = new Uint32Array(count)
  for (let at = 0; at < count; at++) nameRank[byName[at]] = at
  const byRelevance = byName
    .slice()
    .sort((a, b) => dailyDepartures[b] - dailyDepartures[a] || nameRank[a] - nameRank[b])
  const relevanceRank = new Uint32Array(count)
  for (let at = 0; at < count; at++) relevanceRank[byRelevance[at]] = at
  return {
    plainName: sealColumn(plainName),
    plainCode: sealColumn(plainCode),
    dailyDepartures: sealColumn(dailyDepartures),
    byName: sealColumn(byName),
    byRelevance: sealColumn(byRelevance),
    relevanceRank: sealColumn(relevanceRank),
  }
}

/** Departures on the busiest day; for an area, the sum over its stops. */
function countDepartures({ stops, areas }: Ground): Uint32Array {
  const stopCount = stops.name.length
  const areaCount = areas.name.length
  const own = columnArray(stops.dailyDepartures)
  const offsets = columnArray(areas.stopOffset)
  const stopAt = columnArray(areas.stopAt)
  const counts = new Uint32Array(stopCount + areaCount)
  counts.set(own)
  for (let area = 0; area < areaCount; area++) {
    let sum = 0
    for (let at = offsets[area]; at < offsets[area + 1]; at++) sum += own[stopAt[at]]
    counts[stopCount + area] = sum
  }
  return counts
}
