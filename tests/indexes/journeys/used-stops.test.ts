// Tests queries from a stop at which nobody can board, and to a stop at which nobody can alight. Fails if the planner
// prepares any day to answer such a query. Preparing two weeks of days takes seconds on a large feed.
import { expect, test } from 'bun:test'
import { JourneyPlanner } from '../../../indexes/journeys/planner.ts'
import type { LayoutShare } from '../../../indexes/journeys/shared-layouts.ts'
import { findStop } from '../../../indexes/timetable/stops.ts'
import { SMALL_FEED } from '../../feeds/text-feed.ts'
import { timetableOf } from '../built-feed.ts'

const EIGHT = Date.parse('2026-06-10T08:00:00+02:00') / 1000

test('days are laid out only for reachable stops', async () => {
  const timetable = await timetableOf(SMALL_FEED)
  const keys: string[] = []
  const share: LayoutShare = {
    find: () => undefined,
    put: (key, layout) => {
      keys.push(key)
      return layout
    },
  }
  const planner = new JourneyPlanner(timetable, { walkMeters: 500, changeSeconds: 60 }, { share })
  const ask = (from: string, to: string, isArriveBy: boolean, isBeyond: boolean) => {
    const [access, egress] = [from, to].map((id) => ({ stops: [findStop(timetable, id) as never], seconds: [0] }))
    if (access === undefined || egress === undefined) throw new Error('both ends are needed')
    const question = { access, egress, seconds: EIGHT, isArriveBy, isBeyond, lines: undefined, limit: 3 }
    return planner.planPage({ ...question, overlay: undefined, shouldStop: () => false })
  }
  // The bus terminates at T, and no trip ever calls at the station S itself.
  for (const [from, to] of [
    ['T', 'G'],
    ['S', 'G'],
    ['G', 'S'],
  ] as const) {
    for (const isArriveBy of [false, true]) {
      for (const isBeyond of [false, true]) {
        expect(ask(from, to, isArriveBy, isBeyond)).toEqual({ journeys: [], isAll: true })
      }
    }
  }
  expect(keys).toEqual([])
  expect(ask('G', 'T', true, true)?.journeys.length).toBeGreaterThan(0)
  expect(keys).not.toEqual([])
})
