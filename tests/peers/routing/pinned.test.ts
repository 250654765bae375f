// Tests that there are enough queries from other planners' tests. Also lists every query to which our planner gives
// another answer than the query's author expects, with the rule that explains the difference. Fails if a difference is
// not listed, or if a listed difference no longer exists.
import { expect, test } from 'bun:test'
import { MINOTOR } from './minotor.ts'
import { NAVITIA } from './navitia.ts'
import { NIGIRI } from './nigiri.ts'
import { OPENTRIPPLANNER } from './opentripplanner.ts'
import { PLANARNETWORK } from './planarnetwork.ts'

const FILES = [...NIGIRI, ...NAVITIA, ...OPENTRIPPLANNER, ...PLANARNETWORK, ...MINOTOR]

const AMID_A_TRIP =
  'staying seated: where a trip ends and the next one starts, as GTFS defines it; within a trip, riders change'

test('there are at least 150 queries, and the differences follow their rules', () => {
  const cases = FILES.flatMap(({ cases: list }) => list)
  expect(cases.flatMap(({ asks }) => asks).length).toBeGreaterThanOrEqual(150)
  const differences = cases.flatMap(({ test: name, asks }) =>
    asks.flatMap(({ pinned }) => (pinned === undefined ? [] : [`${name}: ${pinned.rule}`])),
  )
  expect(differences).toEqual([
    'no_transfer: journeys: the wait at a change is not limited',
    'transfer_rules_majority_fold_uniform: a rule for two trips applies to these two only',
    'less_fallback: walking is a tie-break and a filter, not a criterion',
    'test_2nd_and_3rd_pass: criteria: arrival, departure, changes',
    'test_jira1686_should_take_journey_with_minimum_walking_on_transfert_2: walking is a tie-break and a filter, not a criterion',
    'stay_in_departure_last_of_first_vj: access: to every stop within reach',
    'test_2nd_and_3rd_pass_ext: criteria: arrival, departure, changes',
    'stay_in_pass_midnight: staying seated: the next trip starts 0 to 600 s later',
    'freq_vj_end_time_is_smaller_than_start_time: journeys: the first vehicle leaves within 24 h',
    'testRaptor: criteria: arrival, departure, changes',
    'testRaptor: type 1 timed: no slack, but the whole walk must fit',
    'chooses an arbitrary journey when they are the same: criteria: arrival, departure, changes',
    'does not share bestArrivals or tripScanner: check 28: of journeys with the same vehicles, one is kept',
    `splits a portion off part way along the trip it continues: ${AMID_A_TRIP}`,
    `makes a trip for each portion of a train that splits more than once: ${AMID_A_TRIP}`,
    `makes a trip for each portion of a train that splits more than once: ${AMID_A_TRIP}`,
  ])
})
