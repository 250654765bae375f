// Which journeys are shown (src/journeys/hygiene.ts): the rows of section J3 of the decisions, by journeys written down as
// the minutes of their rides.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { DirectionIndex, LineIndex } from '../../../indexes/timetable/timetable.ts'
import { thinJourneys } from '../../../src/journeys/hygiene.ts'
import { type Journey, ridesOf, type Section, toJourney } from '../../../src/rendering/journey.ts'

const NOWHERE = { lat: 48, lon: 7, place: undefined }

/** A ride of a trip between two minutes. */
function ride(tripRef: string, departs: number, arrives: number, staysSeated = false): Section {
  return {
    kind: 'ride',
    tripRef,
    line: 0 as LineIndex,
    direction: 0 as DirectionIndex,
    headsign: '',
    stops: [],
    departs: departs * 60,
    arrives: arrives * 60,
    isRealtime: false,
    staysSeated,
    meters: () => 1000,
  }
}

function walk(departs: number, arrives: number): Section {
  const meters = (arrives - departs) * 72
  return { kind: 'walk', from: NOWHERE, to: NOWHERE, departs: departs * 60, arrives: arrives * 60, meters }
}

const shown = (journeys: readonly Journey[], more: { isArriveBy?: boolean; limit?: number } = {}) =>
  thinJourneys(journeys, { isArriveBy: false, limit: 6, ...more }).map((journey) => journeys.indexOf(journey))

describe('journeys', () => {
  test('come by arrival, then the later departure first', () => {
    const journeys = [toJourney([ride('c', 20, 40)]), toJourney([ride('a', 0, 30)]), toJourney([ride('b', 10, 30)])]
    expect(shown(journeys)).toEqual([2, 1, 0])
  })

  test('that are to arrive by a moment come by the latest departure', () => {
    const journeys = [toJourney([ride('a', 0, 30)]), toJourney([ride('b', 25, 60)]), toJourney([ride('c', 20, 40)])]
    expect(shown(journeys, { isArriveBy: true })).toEqual([1, 2, 0])
  })

  test('are cut at the limit', () => {
    const journeys = [0, 1, 2, 3].map((at) => toJourney([ride(`t${at}`, at * 10, at * 10 + 10)]))
    expect(shown(journeys, { limit: 2 })).toEqual([0, 1])
  })

  test('longer than twice the shortest and half an hour are left out', () => {
    const journeys = [toJourney([ride('a', 0, 10)]), toJourney([ride('b', 5, 55)]), toJourney([ride('c', 6, 57)])]
    expect(shown(journeys)).toEqual([0, 1])
  })

  test('slower than the walk are left out, however many the walk is faster than', () => {
    const journeys = [toJourney([walk(0, 12)]), toJourney([ride('a', 3, 15)]), toJourney([ride('b', 3, 14)])]
    expect(shown(journeys)).toEqual([0, 2])
  })

  test('a change more must win five minutes', () => {
    const direct = toJourney([ride('d', 0, 30)])
    const early = toJourney([ride('a', 0, 10), ride('b', 14, 20)])
    const hardlyEarlier = toJourney([ride('a', 5, 10), ride('c', 14, 27)])
    expect(shown([direct, early, hardlyEarlier])).toEqual([1, 0])
  })

  test('but never costs the earliest arrival', () => {
    const direct = toJourney([ride('d', 0, 30)])
    const earliest = toJourney([ride('a', 0, 10), ride('b', 14, 28)])
    expect(shown([direct, earliest])).toEqual([1, 0])
  })

  test('a change with less than three minutes to spare gives way to a safe one five minutes later', () => {
    const first = toJourney([ride('z', 0, 18)])
    const tight = toJourney([ride('a', 0, 10), ride('b', 12, 20)])
    const safe = toJourney([ride('a', 0, 10), ride('c', 16, 25)])
    const muchLater = toJourney([ride('a', 0, 10), ride('d', 16, 26)])
    expect(shown([first, tight, safe]).includes(1)).toBe(false)
    expect(shown([tight, muchLater])).toEqual([0, 1])
  })

  test('a change less is worth five minutes on foot, where nothing else is won', () => {
    const change = toJourney([ride('a', 10, 20), ride('b', 24, 50)])
    const far = toJourney([walk(8, 14), ride('c', 14, 58)])
    const near = toJourney([walk(9, 14), ride('d', 14, 58)])
    expect(shown([change, far])).toEqual([0])
    expect(shown([change, near])).toEqual([0, 1])
  })

  test('of the same trips are one: with most time at the change', () => {
    const early = toJourney([ride('a', 0, 10), walk(10, 12), ride('b', 14, 30)])
    const late = toJourney([ride('a', 0, 8), ride('b', 16, 30)])
    expect(shown([early, late])).toEqual([1])
  })

  test('whose riders stay seated change nothing', () => {
    expect(toJourney([ride('a', 0, 10), ride('b', 10, 20, true)]).transfers).toBe(0)
  })
})

test('the earliest arrival, or the latest departure, is always the first', () => {
  const ofJourney = fc
    .tuple(
      fc.nat(200),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.nat(12)), { minLength: 1, maxLength: 4 }),
      fc.nat(9),
    )
    .map(([start, legs, name]) => {
      let at = start
      const sections = legs.map(([length, wait], leg) => {
        const section = ride(`${name}${leg}`, at, at + length)
        at += length + wait
        return section
      })
      return toJourney(sections)
    })
  fc.assert(
    fc.property(
      fc.uniqueArray(ofJourney, { maxLength: 10, selector: (journey) => ridesOf(journey.sections)[0]?.tripRef }),
      fc.integer({ min: 1, max: 6 }),
      fc.boolean(),
      (all, limit, isArriveBy) => {
        const [first, ...others] = thinJourneys(all, { isArriveBy, limit })
        expect(others.length).toBeLessThan(limit)
        if (all.length === 0) return expect(first).toBeUndefined()
        const best = isArriveBy
          ? Math.max(...all.map(({ departs }) => departs))
          : Math.min(...all.map(({ arrives }) => arrives))
        expect(isArriveBy ? first?.departs : first?.arrives).toBe(best)
      },
    ),
    { numRuns: 2000 },
  )
})
