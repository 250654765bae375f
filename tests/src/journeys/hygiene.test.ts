// Tests which journeys are shown (src/journeys/hygiene.ts). Each journey is given by the minutes at which its rides
// start and end.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { DirectionIndex, LineIndex } from '../../../indexes/timetable/timetable.ts'
import { listJourneys, settledStart, startOfList } from '../../../src/journeys/hygiene.ts'
import { FIRST_PAGE } from '../../../src/journeys/journey-pages.ts'
import { worthOf } from '../../../src/journeys/list-days.ts'
import { type Journey, ridesOf, type Section, toJourney } from '../../../src/rendering/journey.ts'

const NOWHERE = { lat: 48, lon: 7, place: undefined }

/** A ride on a trip. `departs` and `arrives` are in minutes. */
function ride(tripRef: string, departs: number, arrives: number, staysSeated = false, changeSeconds = 0): Section {
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
    changeSeconds: staysSeated ? undefined : changeSeconds,
    calls: { kind: 'scheduled', instance: { trip: 0 as never, day: 0, runStartSeconds: -1 }, from: 0 },
    way: () => {
      throw new Error('not used')
    },
  }
}

function walk(departs: number, arrives: number): Section {
  const meters = (arrives - departs) * 72
  return { kind: 'walk', from: NOWHERE, to: NOWHERE, departs: departs * 60, arrives: arrives * 60, meters }
}

const localSeconds = (seconds: number) => seconds

const shown = (journeys: readonly Journey[], more: { isArriveBy?: boolean } = {}) =>
  listJourneys(journeys, { isArriveBy: false, localSeconds, ...more }).map((journey) => journeys.indexOf(journey))

describe('journeys', () => {
  test('are sorted by arrival, then the later departure first', () => {
    const journeys = [toJourney([ride('c', 20, 40)]), toJourney([ride('a', 6, 30)]), toJourney([ride('b', 10, 30)])]
    expect(shown(journeys)).toEqual([2, 1, 0])
  })

  test('with a required arrival are sorted by the latest departure', () => {
    const journeys = [toJourney([ride('a', 0, 30)]), toJourney([ride('b', 25, 60)]), toJourney([ride('c', 20, 40)])]
    expect(shown(journeys, { isArriveBy: true })).toEqual([1, 2, 0])
  })

  test('with equal arrivals have fewer transfers first; with equal departures too, if the arrival is given', () => {
    const change = toJourney([ride('a', 30, 40), ride('b', 44, 60)])
    const direct = toJourney([ride('d', 0, 60)])
    expect(shown([change, direct])).toEqual([1, 0])
    const late = toJourney([ride('e', 30, 70)])
    expect(shown([change, late], { isArriveBy: true })).toEqual([1, 0])
  })

  test('longer than twice the shortest plus half an hour are omitted', () => {
    const journeys = [toJourney([ride('a', 0, 10)]), toJourney([ride('b', 5, 55)]), toJourney([ride('c', 6, 57)])]
    expect(shown(journeys)).toEqual([0, 1])
  })

  test('are not compared with shorter ones that leave more than two hours before or after', () => {
    const short = toJourney([ride('a', 0, 10)])
    const long = toJourney([ride('b', 120, 171)])
    const longer = toJourney([ride('c', 121, 172)])
    expect(shown([short, long, longer])).toEqual([0, 2])
    const evening = [toJourney([ride('d', 121, 131)]), toJourney([ride('e', 0, 51)]), toJourney([ride('f', 1, 52)])]
    expect(shown(evening, { isArriveBy: true })).toEqual([0, 1])
  })

  test('slower than the walk are omitted, however many there are', () => {
    const journeys = [toJourney([walk(0, 12)]), toJourney([ride('a', 3, 15)]), toJourney([ride('b', 3, 14)])]
    expect(shown(journeys)).toEqual([0, 2])
  })

  test('with an extra transfer must save more than five minutes from door to door', () => {
    const first = toJourney([ride('z', 0, 20)])
    const direct = toJourney([ride('d', 40, 70)])
    const change = (departs: number, arrives: number) => toJourney([ride('a', departs, 55), ride('b', 59, arrives)])
    expect(shown([first, direct, change(40, 66)])).toEqual([0, 1])
    expect(shown([first, direct, change(40, 64)])).toEqual([0, 2, 1])
    // Leaving later counts as much as arriving earlier.
    expect(shown([first, direct, change(42, 67)])).toEqual([0, 1])
    expect(shown([first, direct, change(43, 67)])).toEqual([0, 2, 1])
    expect(shown([first, direct, change(45, 70)])).toEqual([0, 1])
    expect(shown([first, direct, change(46, 70)])).toEqual([0, 1, 2])
  })

  test('with an extra transfer get credit for half the walking time saved', () => {
    const first = toJourney([ride('z', 0, 20)])
    const far = (minutes: number) => toJourney([walk(40, 40 + minutes), ride('d', 40 + minutes, 70)])
    const change = toJourney([walk(42, 43), ride('a', 43, 55), ride('b', 59, 69)])
    expect(shown([first, far(5), change])).toEqual([0, 1])
    expect(shown([first, far(6), change])).toEqual([0, 2, 1])
    // The journey with the transfer has a longer walk, but this does not reduce the time that it saves.
    const walks = toJourney([walk(43, 49), ride('a', 49, 55), ride('b', 59, 67)])
    expect(shown([first, toJourney([ride('d', 40, 70)]), walks])).toEqual([0, 2, 1])
  })

  test('that gain a few minutes and cost many more are removed', () => {
    const first = toJourney([ride('z', 0, 20)])
    const one = toJourney([walk(98, 100), ride('a', 100, 130)])
    const list = (other: Journey) => shown([first, one, other]).includes(2)
    const after = (departs: number, arrives: number, walked = 2) =>
      toJourney([walk(departs, departs + walked), ride('b', departs + walked, arrives)])
    // Let a journey leave d minutes after `one`, with d from one to three, and arrive e minutes after `one`. The
    // journey is removed if e is at least five and at least three times d.
    expect(list(after(99, 135))).toBe(false)
    expect(list(after(99, 134))).toBe(true)
    expect(list(after(101, 139))).toBe(false)
    expect(list(after(101, 138))).toBe(true)
    expect(list(after(102, 145))).toBe(true)
    // A journey that arrives a minute before `one` but leaves much earlier is removed too. `one` is considered first.
    const latest = toJourney([ride('y', 190, 240)])
    expect(shown([latest, one, after(90, 129)], { isArriveBy: true })).toEqual([0, 1])
    expect(shown([latest, one, after(95, 129)], { isArriveBy: true })).toEqual([0, 1, 2])
    // Additional walking counts as lost time. A journey whose walks are over a minute shorter is not removed.
    expect(list(after(99, 133, 4))).toBe(false)
    expect(list(after(99, 136, 1))).toBe(false)
    expect(list(after(99, 139, 0))).toBe(true)
    // A journey with one fewer transfer is not removed.
    const change = toJourney([walk(98, 100), ride('c', 100, 110), ride('e', 112, 124)])
    expect(shown([first, change, after(99, 145)])).toEqual([0, 1, 2])
  })

  test('with the earliest arrival are never removed', () => {
    const direct = toJourney([ride('d', 0, 30)])
    const earliest = toJourney([ride('a', 0, 10), ride('b', 14, 28)])
    expect(shown([direct, earliest])).toEqual([1, 0])
  })

  test('between the first and a direct one stay unless the first saves more than five minutes', () => {
    const first = toJourney([ride('a', 0, 10), ride('b', 14, 20), ride('c', 24, 40)])
    const between = toJourney([ride('a', 0, 10), ride('b', 14, 42)])
    const direct = toJourney([ride('a', 0, 46)])
    expect(shown([first, between, direct])).toEqual([0, 1, 2])
    // `between` is removed if `first` is not in the list, or if a quicker first journey saves enough time for its
    // transfers.
    const other = toJourney([ride('z', -30, 5)])
    expect(shown([other, between, direct])).toEqual([0, 2])
    const quick = (arrives: number) => toJourney([ride('a', 0, 10), ride('b', 14, 20), ride('c', 24, arrives)])
    expect(shown([quick(37), between, direct])).toEqual([0, 1, 2])
    expect(shown([quick(36), between, direct])).toEqual([0, 2])
    const mirrored = (from: number, to: number, trip: string) => ride(trip, 60 - to, 60 - from)
    const back = [
      toJourney([mirrored(24, 40, 'c'), mirrored(14, 20, 'b'), mirrored(0, 10, 'a')]),
      toJourney([mirrored(14, 42, 'b'), mirrored(0, 10, 'a')]),
      toJourney([mirrored(0, 46, 'a')]),
    ]
    expect(shown(back, { isArriveBy: true })).toEqual([0, 1, 2])
  })

  test('are removed only by one that is shown', () => {
    // By the rules, each of these journeys is better than the one before it: `far` has one fewer transfer than
    // `change`, and `near` has less walking than `far`.
    const change = toJourney([walk(20, 26), ride('a', 26, 36), ride('b', 40, 50)])
    const far = toJourney([walk(18, 28), ride('c', 28, 51)])
    const near = toJourney([walk(18, 22), ride('d', 22, 26), ride('e', 30, 40, true), ride('f', 44, 51)])
    const first = toJourney([ride('z', 0, 25)])
    expect(shown([first, change, far])).toEqual([0, 2])
    expect(shown([first, far, near])).toEqual([0, 1])
    // `far` is shown and removes `change`, although `near` is better than `far`.
    expect(shown([first, change, far, near])).toEqual([0, 2])
  })

  test('of equal rank: the later departure is considered first, then the one with less walking', () => {
    const first = toJourney([ride('z', 0, 25)])
    const change = toJourney([ride('a', 20, 30), ride('b', 34, 50)])
    // `change` is considered first and stays: it leaves later than `sooner`, and it has less walking than `asLate`.
    const sooner = toJourney([walk(17, 25), ride('d', 25, 55)])
    expect(shown([first, change, sooner])).toEqual([0, 1])
    const asLate = toJourney([walk(20, 28), ride('d', 28, 55)])
    expect(shown([first, change, asLate])).toEqual([0, 1])
    const mirrored = { isArriveBy: true }
    const last = toJourney([ride('z', 50, 75)])
    const back = toJourney([ride('a', 25, 37), ride('b', 41, 55)])
    const later = toJourney([ride('d', 20, 50), walk(50, 58)])
    expect(shown([last, back, later], mirrored)).toEqual([0, 1])
    const asEarly = toJourney([ride('d', 20, 47), walk(47, 55)])
    expect(shown([last, back, asEarly], mirrored)).toEqual([0, 1])
  })

  test('with one transfer fewer replace another only if they leave and arrive within a quarter of an hour of it', () => {
    const first = toJourney([ride('z', 0, 30)])
    const changes = (departs: number, arrives: number) =>
      toJourney(
        [0, 1, 2, 3, 4].map((at) => ride(`${at}`, departs + at * 12, at === 4 ? arrives : departs + at * 12 + 6)),
      )
    const direct = toJourney([ride('d', 100, 180)])
    expect(shown([first, changes(115, 176), direct])).toEqual([0, 2])
    expect(shown([first, changes(116, 176), direct])).toEqual([0, 1, 2])
    expect(shown([first, changes(104, 165), direct])).toEqual([0, 2])
    expect(shown([first, changes(104, 164), direct])).toEqual([0, 1, 2])
    for (const [departs, arrives, list] of [
      [115, 176, [1, 0]],
      [116, 176, [1, 2, 0]],
    ] as const) {
      const late = toJourney([ride('y', 150, 200)])
      expect(shown([first, late, changes(departs, arrives), direct], { isArriveBy: true }).includes(2)).toBe(
        list.length === 3,
      )
    }
  })

  test('with one transfer fewer are worth five minutes of walking, if nothing else is gained', () => {
    const change = toJourney([ride('a', 10, 20), ride('b', 24, 50)])
    const far = toJourney([walk(8, 14), ride('c', 14, 58)])
    const near = toJourney([walk(9, 14), ride('d', 14, 58)])
    expect(shown([change, far])).toEqual([0])
    expect(shown([change, near])).toEqual([0, 1])
  })

  test('with the same trips are shown once, with the most time at the transfer', () => {
    const early = toJourney([ride('a', 0, 10), walk(10, 12), ride('b', 14, 30)])
    const late = toJourney([ride('a', 0, 8), ride('b', 16, 30)])
    expect(shown([early, late])).toEqual([1])
  })

  test('that wait more than two hours between midnight and five are removed if another is shown', () => {
    const hour = (hours: number) => hours * 60
    const first = toJourney([ride('a', hour(20), hour(21))])
    const waiting = (from: number, until: number, name = 'n') =>
      toJourney([ride(`${name}1`, hour(23), hour(from)), ride(`${name}2`, hour(until), hour(32))])
    expect(shown([first, waiting(24.5, 26.5)])).toEqual([0, 1])
    expect(shown([first, waiting(24.5, 26.6)])).toEqual([0])
    expect(shown([first, waiting(23.1, 26.1)])).toEqual([0])
    expect(shown([first, waiting(26.9, 31)])).toEqual([0])
    expect(shown([first, waiting(27.1, 31)])).toEqual([0, 1])
    expect(shown([waiting(24.5, 26.6)])).toEqual([0])
    expect(shown([first, waiting(24.5, 26.6)], { isArriveBy: true })).toEqual([1, 0])
    // The rule about nights uses the network's local time, not UTC.
    const list = listJourneys([first, waiting(24.5, 26.6)], { isArriveBy: false, localSeconds: (at) => at + 3 * 3600 })
    expect(list).toHaveLength(2)
  })

  test('that are tight at the limit of a list are left to the next list', () => {
    const list = [ride('a', 0, 10), ride('b', 5, 20), ride('c', 10, 30)].map((one) => toJourney([one]))
    const tight = toJourney([ride('d', 20, 30), ride('e', 33, 40, false, 121)])
    const start = (journeys: readonly Journey[], limit: number) =>
      startOfList(journeys, { limit, tightSeconds: 60 }).map((journey) => journeys.indexOf(journey))
    const journeys = [tight, ...list, tight, ...list]
    expect([1, 2, 3, 4, 5, 6].map((limit) => start(journeys, limit).length)).toEqual([1, 2, 3, 4, 4, 6])
    expect(start([...list, toJourney([ride('d', 20, 30), ride('e', 33, 40, false, 120)])], 4)).toHaveLength(4)
  })

  test('with the same trip are two if they ride different parts of it', () => {
    const first = toJourney([ride('z', 0, 20)])
    const before = toJourney([walk(10, 30), ride('a', 30, 40), walk(40, 60)])
    const after = toJourney([walk(22, 41), ride('a', 41, 51), walk(51, 71)])
    expect(shown([first, before, after])).toEqual([0, 1, 2])
  })

  test('have no transfer if riders stay seated', () => {
    expect(toJourney([ride('a', 0, 10), ride('b', 10, 20, true)]).transfers).toBe(0)
  })
})

/** Random journeys of one to four rides that leave within a few hours. No two journeys share a trip. */
const journeysOf = (maxLength: number) => {
  const ofJourney = fc
    .tuple(
      fc.nat(200),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.nat(12)), { minLength: 1, maxLength: 4 }),
      fc.nat(99),
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
  return fc.uniqueArray(ofJourney, { maxLength, selector: (journey) => ridesOf(journey.sections)[0]?.tripRef })
}

test('the earliest arrival, or the latest departure, always comes first', () => {
  fc.assert(
    fc.property(journeysOf(10), fc.boolean(), (all, isArriveBy) => {
      const [first] = listJourneys(all, { isArriveBy, localSeconds })
      if (all.length === 0) return expect(first).toBeUndefined()
      const best = isArriveBy
        ? Math.max(...all.map(({ departs }) => departs))
        : Math.min(...all.map(({ arrives }) => arrives))
      expect(isArriveBy ? first?.departs : first?.arrives).toBe(best)
    }),
    { numRuns: 2000 },
  )
})

test('settled journeys stay at the start of the list, whatever is found later', () => {
  const walks = fc.option(fc.tuple(fc.nat(200), fc.integer({ min: 5, max: 120 })), { nil: undefined })
  fc.assert(
    fc.property(journeysOf(20), walks, fc.nat(300), fc.boolean(), (rides, way, minute, isArriveBy) => {
      const rules = { isArriveBy, localSeconds, until: minute * 60 }
      // The journey on foot is known from the start, so it is in both lists.
      const walked = way === undefined ? [] : [toJourney([walk(way[0], way[0] + way[1])])]
      const known = rides.filter(({ departs, arrives }) =>
        isArriveBy ? departs >= rules.until : arrives <= rules.until,
      )
      const settled = settledStart([...known, ...walked], rules)
      expect(listJourneys([...rides, ...walked], rules).slice(0, settled.length)).toEqual(settled)
    }),
    { numRuns: 5000 },
  )
})

test('rides slower than a walk at the requested time do not affect how many journeys count', () => {
  fc.assert(
    fc.property(
      journeysOf(12),
      fc.integer({ min: 1, max: 90 }),
      fc.nat(400),
      fc.boolean(),
      fc.integer({ min: 1, max: 4 }),
      (rides, walked, minute, isArriveBy, limit) => {
        const end = Math.max(walked, ...rides.map(({ arrives }) => arrives / 60))
        const all = [...rides, toJourney([isArriveBy ? walk(end - walked, end) : walk(0, walked)])]
        const rules = { isArriveBy, localSeconds, until: minute * 60, page: FIRST_PAGE, limit, recurs: () => false }
        const quick = all.filter(({ departs, arrives }) => arrives - departs <= walked * 60)
        expect(worthOf(quick, rules)).toBe(worthOf(all, rules))
      },
    ),
    { numRuns: 2000 },
  )
})

test('nothing is settled after a journey that may still be removed', () => {
  const first = toJourney([ride('z', 0, 20)])
  const changes = toJourney([ride('a', 25, 27), ride('b', 29, 31), ride('c', 33, 35)])
  const after = toJourney([ride('d', 14, 38)])
  const rules = { isArriveBy: false, localSeconds }
  expect(settledStart([first, changes, after], { ...rules, until: 40 * 60 })).toEqual([first])
  expect(listJourneys([first, changes, after], rules)).toEqual([first, changes, after])
  const direct = toJourney([ride('e', 25, 42)])
  expect(listJourneys([first, changes, after, direct], rules)).toEqual([first, after, direct])
})

test('every omitted journey is replaced by one that is shown', () => {
  const isNear = (one: Journey, other: Journey) =>
    one.departs >= other.departs - 900 && one.arrives <= other.arrives + 900
  fc.assert(
    fc.property(journeysOf(12), fc.boolean(), (all, isArriveBy) => {
      const list = listJourneys(all, { isArriveBy, localSeconds })
      for (const missing of all.filter((journey) => !list.includes(journey))) {
        const duration = missing.arrives - missing.departs
        const reason = list.some(
          (one) =>
            (isNear(one, missing) && (one.transfers !== missing.transfers || one.arrives <= missing.arrives)) ||
            (one.departs >= missing.departs - 180 && one.arrives <= missing.arrives + 180) ||
            duration > 2 * (one.arrives - one.departs) + 1800,
        )
        expect(reason).toBe(true)
      }
    }),
    { numRuns: 2000 },
  )
})
