// Tests place search on real data. Fails if addresses or stop names are found less often than riders may expect, if a
// query takes too long, or if addresses take more memory than their limit. Runs if QUAI_FEEDS names the folder of real
// data; `tests/real-places.ts` prints the whole table.
import { describe, expect, test } from 'bun:test'
import { findNearestHouse } from '../indexes/places/address-index.ts'
import { parseQuery } from '../indexes/places/place-query.ts'
import { greatCircleMeters } from '../indexes/spatial/great-circle.ts'
import type { HouseIndex } from '../loaders/ban/addresses.ts'
import { searchPlaces } from './indexes/places/all-steps.ts'
import {
  askHouses,
  askStopNames,
  loadRealPlaces,
  NAMED_NETWORKS,
  pickHouses,
  REAL_ADDRESSES,
  type RealPlaces,
  typeHouses,
} from './real-places.ts'
import { bySize, SEED } from './size.ts'
import { type Dice, seededDice, type Way } from './typed-addresses.ts'

const REQUESTED = bySize({ quick: 200, ci: 1_000, full: 1_000 })
const TYPED = bySize({ quick: 20, ci: 200, full: 1_000 })
const POINTS = bySize({ quick: 50, ci: 300, full: 10_000 })
const MAX_BYTES_PER_ADDRESS = 60
const HOSTILE = bySize({ quick: 200, ci: 2_000, full: 100_000 })
/**
 * The time limit for a query is 2 ms. A busy machine can be several times slower, so below full size, a higher limit
 * only catches queries that practically never end.
 */
const MAX_MILLIS = bySize({ quick: 20, ci: 20, full: 2 })
const MILLIS = 300_000
/**
 * Parts of the most expensive queries: words in many street names, prefixes of many words, long words with typing
 * errors, and characters that form no words.
 */
const PIECES = [
  ['rue', 'de', 'la', 'des', 'avenue', 'boulevard', 'paris', 'place', 'saint', 'general', '12', '75', '75001', 'bis'],
  [...'abcdefghijklmnopqrstuvwxyz0123456789'],
  ['montparnase', 'hausman', 'charlemange', 'republiqe', 'victr', 'germian', 'faubuorg', 'marechla'],
  ['\u0301', '\u202e', '\0', '😀', 'é', 'ß', 'ﷺ', '한', '.', '-', 'ŀ', 'd\u0301\u0301'],
]

/** A random query of 120 characters, made from one kind of pieces or from all kinds. */
function hostileText(dice: Dice): string {
  const kind = dice(PIECES.length + 1)
  const pieces = PIECES[kind] ?? PIECES.flat()
  const between = dice(3) === 0 ? '' : ' '
  let text = ''
  while (text.length < MAX_QUERY_LENGTH) text += (pieces[dice(pieces.length)] ?? '') + between
  return text.slice(0, MAX_QUERY_LENGTH)
}

const MAX_QUERY_LENGTH = 120

/**
 * Way of typing → the share of addresses that must be found first, and the share among the first five. A name with a
 * typing error may be the name of another place, so such an address need not be found first.
 */
const BARS: readonly (readonly [Way, number, number])[] = [
  ['exact', 0.99, 0.99],
  ['folded', 0.99, 0.99],
  ['abbreviated', 0.97, 0.97],
  ['typo', 0, 0.9],
  ['order', 0.95, 0.99],
]

describe.skipIf(REAL_ADDRESSES === undefined)('real addresses', () => {
  let loaded: RealPlaces | undefined
  const load = async (): Promise<RealPlaces> => {
    loaded ??= await loadRealPlaces(REAL_ADDRESSES ?? '')
    return loaded
  }

  test.each(BARS)(
    '%p finds its address',
    async (way, first, amongFive) => {
      const places = await load()
      const dice = seededDice(SEED)
      const recall = askHouses(places, { houses: pickHouses(places, REQUESTED, dice), way, dice })
      expect(recall.first / recall.requested).toBeGreaterThanOrEqual(first)
      expect(recall.amongFive / recall.requested).toBeGreaterThanOrEqual(amongFive)
    },
    MILLIS,
  )

  test(
    'an address that is first after its full street name stays in the list as letters are added',
    async () => {
      const places = await load()
      expect(typeHouses(places, pickHouses(places, TYPED, seededDice(SEED))).lost).toEqual([])
    },
    MILLIS,
  )

  test('an address takes little space', async () => {
    expect((await load()).bytesPerAddress).toBeLessThanOrEqual(MAX_BYTES_PER_ADDRESS)
  })

  test(
    'the nearest address is the one found by measuring all of them',
    async () => {
      const { index } = await load()
      const { houses } = index.addresses
      const dice = seededDice(SEED)
      for (let at = 0; at < POINTS; at++) {
        const from = { lat: 48.8 + dice(120_000) / 1e6, lon: 2.2 + dice(300_000) / 1e6 }
        let nearest: { house: HouseIndex; distanceMeters: number } | undefined
        for (let house = 0 as HouseIndex; house < houses.count; house++) {
          const meters = greatCircleMeters(from.lat, from.lon, houses.lat[house] / 1e7, houses.lon[house] / 1e7)
          if (meters <= 200 && (nearest === undefined || meters < nearest.distanceMeters)) {
            nearest = { house, distanceMeters: meters }
          }
        }
        const found = findNearestHouse(index, { ...from, radiusMeters: 200 })
        expect(found && { house: found.house, distanceMeters: found.distanceMeters }).toEqual(nearest)
      }
    },
    MILLIS,
  )

  test(
    'no query takes long, whatever is typed',
    async () => {
      const places = await load()
      const dice = seededDice(SEED)
      const slow: string[] = []
      for (let at = 0; at < HOSTILE; at++) {
        const text = hostileText(dice)
        const ask = () => searchPlaces({ query: parseQuery(text), near: undefined, limit: 20 }, places)
        // Takes the shortest of a few runs, in processor time, so that other work on the machine does not count.
        let least = Infinity
        for (let run = 0; run < 5 && least > MAX_MILLIS; run++) {
          const before = process.cpuUsage()
          ask()
          const { user, system } = process.cpuUsage(before)
          least = Math.min(least, (user + system) / 1_000)
        }
        if (least > MAX_MILLIS) slow.push(`${least.toFixed(2)} ms ${JSON.stringify(text)}`)
      }
      expect(slow).toEqual([])
    },
    MILLIS,
  )

  test.each(NAMED_NETWORKS)(
    'every stop in %s is first by its name, and among the first five by four letters nearby',
    async (name) => {
      const { byName, byLetters } = await askStopNames(name)
      expect(byName.first).toBe(byName.requested)
      expect(byLetters.missed).toEqual([])
    },
    MILLIS,
  )
})
