// Tests the network data that a planner thread keeps in memory. Fails if unused networks stay in memory, if a network
// gives different journeys after it was unused for a while, or if a search keeps a replaced network in memory.
import { expect, test } from 'bun:test'
import { JourneyPlanning } from '../../../src/journeys/journey-planning.ts'
import { PlanningGrounds } from '../../../src/journeys/planning-grounds.ts'
import { Networks } from '../../../src/networks/network.ts'
import { type SnapshotView, SnapshotViews } from '../../../src/rendering/snapshot-view.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { openNetwork } from '../api/api-under-test.ts'
import { EIGHT_SECONDS, questionOf } from './questions.ts'

const NAMES = ['one', 'two', 'three']

async function opened() {
  const networks = new Networks(await Promise.all(NAMES.map((id) => openNetwork({ id, feed: smallFeed() }))))
  return { networks, views: new SnapshotViews(networks, 0) }
}

function lay(grounds: PlanningGrounds, view: SnapshotView): void {
  const moment = { seconds: EIGHT_SECONDS, isArriveBy: false }
  for (const _ of grounds.of(view).planner.prepare(moment, true));
}

test('the days of a network are removed together with everything they were planned with', async () => {
  const { views } = await opened()
  const { list } = views.ready()
  const grounds = new PlanningGrounds({ mostBytes: 1 })
  const [one, two, three] = list
  if (one === undefined || two === undefined || three === undefined) throw new Error('a network is missing')
  const first = grounds.of(one)
  expect(grounds.of(one)).toBe(first)
  lay(grounds, one)
  expect(grounds.of(one)).toBe(first)
  lay(grounds, two)
  expect(grounds.of(one)).toBe(first) // the network that was used just before a new one stays in memory
  lay(grounds, three)
  expect([one, two, three].map((view) => grounds.hasRoomAhead(view))).toEqual([false, true, true])
  expect(grounds.of(one)).not.toBe(first)
})

test('if there is room for all, all stay', async () => {
  const { views } = await opened()
  const grounds = new PlanningGrounds({})
  const { list } = views.ready()
  for (const view of list) lay(grounds, view)
  const kept = list.map((view) => grounds.of(view))
  expect(list.map((view) => grounds.of(view))).toEqual(kept)
  expect(list.every((view) => grounds.hasRoomAhead(view))).toBe(true)
})

test('alternating between networks gives the same journeys as one network alone', async () => {
  const { views } = await opened()
  const alone = NAMES.map((name) => new JourneyPlanning(views).answer(questionOf(name), 1000))
  expect(alone.map(({ kind }) => kind)).toEqual(['journeys', 'journeys', 'journeys'])
  const planning = new JourneyPlanning(views)
  for (let round = 0; round < 3; round++) {
    expect(NAMES.map((name) => planning.answer(questionOf(name), 1000))).toEqual(alone)
    planning.grounds.forgetReplaced()
  }
})
