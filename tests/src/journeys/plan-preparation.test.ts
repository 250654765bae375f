// Tests that days are prepared between queries, not during them. A query for a network whose days are not yet prepared
// waits, while queries for other networks are answered. Fails if a query prepares days itself, or if a waiting query is
// never resumed.
import { expect, test } from 'bun:test'
import { JourneyPlanning } from '../../../src/journeys/journey-planning.ts'
import { PlanPreparation } from '../../../src/journeys/plan-preparation.ts'
import type { JourneyQuestion } from '../../../src/journeys/planner-messages.ts'
import { Networks } from '../../../src/networks/network.ts'
import { SnapshotViews } from '../../../src/rendering/snapshot-view.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { openNetwork } from '../api/api-under-test.ts'
import { EIGHT_SECONDS, questionOf } from './questions.ts'

const clock = { nowMillis: () => EIGHT_SECONDS * 1000 }

async function opened(isPrepared: boolean) {
  const names = ['one', 'two']
  const networks = new Networks(await Promise.all(names.map((id) => openNetwork({ id, feed: smallFeed() }))))
  const planning = new JourneyPlanning(new SnapshotViews(networks, 0))
  return { planning, preparation: new PlanPreparation(planning, networks, isPrepared ? clock : undefined) }
}

const requested = (preparation: PlanPreparation, question: JourneyQuestion) =>
  new Promise<void>((resolve) => preparation.layOutFor(question, resolve))

for (const isPrepared of [false, true]) {
  const when = isPrepared ? 'while all networks are made ready' : 'that nobody makes ready'
  test(`the days of a query ${when} are laid out in advance`, async () => {
    const { planning, preparation } = await opened(isPrepared)
    const questions = [
      questionOf('two'),
      questionOf('two', { isArriveBy: true, seconds: EIGHT_SECONDS + 30 * 86_400 }),
      questionOf('one', { page: { isBeyond: true, day: 2, isUntil: false, key: undefined } }),
    ]
    expect(questions.map((question) => planning.isReady(question))).toEqual([false, false, false])
    if (isPrepared) preparation.begin()
    await Promise.all(questions.map((question) => requested(preparation, question)))
    expect(questions.map((question) => planning.isReady(question))).toEqual([true, true, true])
    expect(planning.answer(questions[0] as JourneyQuestion, 1000).kind).toBe('journeys')
  })
}

test('laying out in steps gives the same as a query', async () => {
  const [first, second] = [await opened(false), await opened(false)]
  const question = questionOf('one')
  await requested(first.preparation, question)
  expect(first.planning.answer(question, 1000)).toEqual(second.planning.answer(question, 1000))
})

test('a query for days outside the calendar, or for no network, waits for nothing', async () => {
  const { planning, preparation } = await opened(false)
  expect(planning.isReady(questionOf('none'))).toBe(true)
  const late = questionOf('one', { seconds: EIGHT_SECONDS + 4000 * 86_400 })
  expect(planning.isReady(late)).toBe(true)
  await requested(preparation, late)
})
