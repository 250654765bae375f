// Compares the planner with a search that tries everything, forward and backward, with and without live feeds. Fails if
// the sets of journeys differ, for example because the planner loses a journey, adds a needless transfer, or mishandles
// overtaking trips or transfer rules.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { PlannedJourney } from '../../../indexes/journeys/planned-journey.ts'
import { compare, listBestJourneys, type PlainJourney } from '../../oracles/exhaustive-journeys.ts'
import { bySize, SEED } from '../../size.ts'
import { CHANGE_RULES, PlannedNetwork } from './planned-network.ts'
import { FIRST_ZERO_SECONDS, type PlainNetwork, randomNetwork } from './random-network.ts'
import { findFault } from './ride-check.ts'

/** More journeys than any of the networks has. */
const ALL = 10_000
const RUNS = { seed: SEED, numRuns: bySize({ quick: 25, ci: 40, full: 10_000 }) }
const HALF_DAY = 12 * 3600
const TIMEOUT_MILLIS = 600_000

/** The journeys, sorted and reduced to the members that are compared. */
function outline(journeys: readonly PlannedJourney[]): PlainJourney[] {
  return journeys.map(({ leaves, arrives, vehicles }) => ({ leaves, arrives, vehicles })).toSorted(compare)
}

const requested = ({ seconds }: PlainNetwork) => FIRST_ZERO_SECONDS + seconds
const withoutFeeds = randomNetwork.map((network) => ({ ...network, changes: [], additions: [] }))

for (const isArriveBy of [false, true]) {
  const way = isArriveBy ? 'until' : 'from'
  for (const [networks, feeds] of [
    [withoutFeeds, 'the timetable'],
    [randomNetwork, 'live feeds'],
  ] as const) {
    test(
      `journeys ${way} a time in ${feeds} match an exhaustive search, seed ${SEED}`,
      async () => {
        await fc.assert(
          fc.asyncProperty(networks, async (network) => {
            const planned = (await PlannedNetwork.of(network)).plan({ isArriveBy, limit: ALL })
            expect(outline(planned)).toEqual(listBestJourneys(network, requested(network), isArriveBy))
          }),
          RUNS,
        )
      },
      TIMEOUT_MILLIS,
    )
  }

  test(
    `accessible journeys ${way} a time are complete and possible, seed ${SEED}`,
    async () => {
      let fewer = 0
      await fc.assert(
        fc.asyncProperty(randomNetwork, async (network) => {
          const asWheelchair = { ...network, isWheelchair: true }
          const searched = await PlannedNetwork.of(asWheelchair)
          const planned = searched.plan({ isArriveBy, limit: ALL })
          const expected = listBestJourneys(asWheelchair, requested(network), isArriveBy)
          expect(outline(planned)).toEqual(expected)
          for (const journey of planned) expect(findFault(asWheelchair, searched, journey)).toBeUndefined()
          if (!Bun.deepEquals(expected, listBestJourneys(network, requested(network), isArriveBy))) fewer++
        }),
        RUNS,
      )
      expect(fewer).toBeGreaterThan(0)
    },
    TIMEOUT_MILLIS,
  )

  test(
    `with a limit on vehicles, journeys ${way} a time are all those within the limit, seed ${SEED}`,
    async () => {
      await fc.assert(
        fc.asyncProperty(randomNetwork, fc.integer({ min: 1, max: 4 }), async (network, mostVehicles) => {
          const searched = await PlannedNetwork.of(network)
          const all = outline(searched.plan({ isArriveBy, limit: ALL }))
          const few = searched.plan({ isArriveBy, limit: ALL, mostVehicles })
          expect(outline(few)).toEqual(all.filter(({ vehicles }) => vehicles <= mostVehicles))
        }),
        RUNS,
      )
    },
    TIMEOUT_MILLIS,
  )

  test(
    `with a limit on duration, journeys ${way} a time are all those within the limit, seed ${SEED}`,
    async () => {
      let left = 0
      await fc.assert(
        fc.asyncProperty(randomNetwork, fc.nat(), fc.boolean(), async (network, pick, isJustShorter) => {
          const searched = await PlannedNetwork.of(network)
          const all = outline(searched.plan({ isArriveBy, limit: ALL }))
          const durations = all.map(({ leaves, arrives }) => arrives - leaves)
          const mostSeconds = (durations[pick % durations.length] ?? 1) - (isJustShorter ? 1 : 0)
          const short = searched.plan({ isArriveBy, limit: ALL, mostSeconds })
          const expected = all.filter(({ leaves, arrives }) => arrives - leaves <= mostSeconds)
          expect(outline(short)).toEqual(expected)
          for (const journey of short) expect(findFault(network, searched, journey)).toBeUndefined()
          if (expected.length > 0 && expected.length < all.length) left++
        }),
        RUNS,
      )
      expect(left).toBeGreaterThan(0)
    },
    TIMEOUT_MILLIS,
  )

  test(
    `with a different transfer time, journeys ${way} a time match those of a network that has it, seed ${SEED}`,
    async () => {
      await fc.assert(
        fc.asyncProperty(randomNetwork, fc.integer({ min: 0, max: 1800 }), async (network, changeSeconds) => {
          const requested = await PlannedNetwork.of(network)
          const set = await PlannedNetwork.of(network, { ...CHANGE_RULES, changeSeconds })
          for (const seconds of [changeSeconds, undefined, changeSeconds]) {
            const journeys = requested.plan({ isArriveBy, limit: ALL, changeSeconds: seconds })
            const same = seconds === undefined ? await PlannedNetwork.of(network) : set
            expect(journeys).toEqual(same.plan({ isArriveBy, limit: ALL }))
          }
        }),
        RUNS,
      )
    },
    TIMEOUT_MILLIS,
  )

  const side = isArriveBy ? 'after' : 'before'
  test(
    `journeys ${side} a time are those after it in a longer list, nearest first, seed ${SEED}`,
    async () => {
      await fc.assert(
        fc.asyncProperty(randomNetwork, fc.integer({ min: 1, max: 4 }), async (network, limit) => {
          const searched = await PlannedNetwork.of(network)
          const moment = requested(network)
          const isBehind = ({ leaves, arrives }: PlannedJourney) => (isArriveBy ? arrives > moment : leaves < moment)
          const longer = searched.plan({ isArriveBy, limit: ALL }, isArriveBy ? HALF_DAY : -HALF_DAY)
          // A ride can take days. So a journey can be beaten by one that leaves up to three days later or, if the query
          // is for arrivals, arrives up to three days earlier. `here` has the journeys of all these days.
          const here = [0, 1, 2, 3].flatMap((days) =>
            searched.plan({ isArriveBy, limit: ALL }, (isArriveBy ? -2 : 2) * days * HALF_DAY),
          )
          const isBest = (one: PlannedJourney) =>
            !here.some(({ leaves, arrives, vehicles }) => {
              return leaves >= one.leaves && arrives <= one.arrives && vehicles <= one.vehicles
            })
          const beyond = searched.plan({ isArriveBy: !isArriveBy, isBeyond: true, limit: ALL })
          const isNear = ({ leaves, arrives }: PlannedJourney) =>
            isArriveBy ? arrives <= moment + HALF_DAY : leaves >= moment - HALF_DAY
          expect(beyond.every(isBehind)).toBe(true)
          expect(outline(beyond.filter(isNear))).toEqual(outline(longer.filter((one) => isBehind(one) && isBest(one))))
          const some = searched.plan({ isArriveBy: !isArriveBy, isBeyond: true, limit })
          const last = isArriveBy
            ? Math.max(...some.map(({ arrives }) => arrives))
            : Math.min(...some.map(({ leaves }) => leaves))
          expect(some.length).toBeGreaterThanOrEqual(Math.min(limit, beyond.length))
          expect(outline(some)).toEqual(
            outline(beyond.filter(({ leaves, arrives }) => (isArriveBy ? arrives <= last : leaves >= last))),
          )
          for (const journey of some) expect(findFault(network, searched, journey)).toBeUndefined()
        }),
        RUNS,
      )
    },
    TIMEOUT_MILLIS,
  )

  test(
    `a short list of journeys ${way} a time has no gaps and only possible journeys, seed ${SEED}`,
    async () => {
      await fc.assert(
        fc.asyncProperty(randomNetwork, fc.integer({ min: 1, max: 4 }), async (network, limit) => {
          const searched = await PlannedNetwork.of(network)
          const all = outline(searched.plan({ isArriveBy, limit: ALL }))
          const some = searched.plan({ isArriveBy, limit })
          expect(some.length).toBeGreaterThanOrEqual(Math.min(limit, all.length))
          const last = isArriveBy
            ? Math.min(...some.map(({ leaves }) => leaves))
            : Math.max(...some.map(({ arrives }) => arrives))
          expect(outline(some)).toEqual(
            all.filter(({ leaves, arrives }) => (isArriveBy ? leaves >= last : arrives <= last)),
          )
          for (const journey of some) expect(findFault(network, searched, journey)).toBeUndefined()
        }),
        RUNS,
      )
    },
    TIMEOUT_MILLIS,
  )
}
