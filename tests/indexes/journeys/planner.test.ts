// The planner against a search that tries everything, forwards and backwards: a label lost, a change too many, a trip that
// overtakes, a rule that holds for others would show as another set of journeys.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { JourneyPlanner, type PlanQuestion } from '../../../indexes/journeys/planner.ts'
import { findStop } from '../../../indexes/timetable/stops.ts'
import { compare, listBestJourneys } from '../../oracles/exhaustive-journeys.ts'
import { bySize, SEED } from '../../size.ts'
import { timetableOf } from '../built-feed.ts'
import { FIRST_ZERO_SECONDS, type PlainNetwork, randomNetwork, toFeedTexts } from './random-network.ts'

const RULES = { walkMeters: 500, changeSeconds: 60 }
/** More than any of the networks has. */
const ALL = 10_000

async function plan(network: PlainNetwork, isArriveBy: boolean) {
  const timetable = await timetableOf(toFeedTexts(network))
  const ends = ({ stops, seconds }: PlainNetwork['access']) => ({
    stops: stops.map((stop) => findStop(timetable, `s${stop}`) as number),
    seconds,
  })
  const question: PlanQuestion = {
    access: ends(network.access),
    egress: ends(network.egress),
    seconds: FIRST_ZERO_SECONDS + network.seconds,
    isArriveBy,
    lines: undefined,
    limit: ALL,
    overlay: undefined,
    shouldStop: () => false,
  }
  const found = new JourneyPlanner(timetable, RULES).plan(question) ?? []
  return found.map(({ leaves, arrives, vehicles }) => ({ leaves, arrives, vehicles })).toSorted(compare)
}

for (const isArriveBy of [false, true]) {
  test(`journeys ${isArriveBy ? 'until' : 'from'} a moment are those that trying everything finds, seed ${SEED}`, async () => {
    await fc.assert(
      fc.asyncProperty(randomNetwork, async (network) => {
        expect(await plan(network, isArriveBy)).toEqual(listBestJourneys(network, isArriveBy))
      }),
      { seed: SEED, numRuns: bySize({ quick: 150, ci: 2000, full: 10_000 }) },
    )
  })
}
