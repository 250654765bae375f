// Tests the data that planners share. One planner prepares a network's days, and the others use these days in the same
// memory. Fails if days are prepared twice, if answers depend on which planner prepared the days, or if planners wait
// for a planner that has ended.
import { expect, test } from 'bun:test'
import { JourneyPlanner } from '../../../indexes/journeys/planner.ts'
import { inSharedMemory, type LayoutShare, type SharedLayout } from '../../../indexes/journeys/shared-layouts.ts'
import { findStop } from '../../../indexes/timetable/stops.ts'
import type { Timetable } from '../../../indexes/timetable/timetable.ts'
import { LayoutExchange } from '../../../src/journeys/layout-exchange.ts'
import { SMALL_FEED } from '../../feeds/text-feed.ts'
import { timetableOf } from '../../indexes/built-feed.ts'

const SEVEN = Date.parse('2026-06-10T07:00:00+02:00') / 1000
const RULES = { walkMeters: 500, changeSeconds: 60 }

function plan(timetable: Timetable, planner: JourneyPlanner) {
  const end = (id: string) => {
    const stop = findStop(timetable, id)
    if (stop === undefined) throw new Error(`the feed has no stop ${id}`)
    return { stops: [stop], seconds: [0] }
  }
  const question = { access: end('G'), egress: end('T'), seconds: SEVEN, isArriveBy: false, lines: undefined, limit: 3 }
  return planner.plan({ ...question, overlay: undefined, shouldStop: () => false })
}

/** Waits until messages from other planners have made the condition true. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve))
}

test('one planner uses what another has laid out, in the same memory, with the same results', async () => {
  const timetable = await timetableOf(SMALL_FEED)
  const laid = new Map<string, SharedLayout>()
  const share: LayoutShare = {
    find: (key) => laid.get(key),
    put: (key, layout) => {
      expect(laid.has(key)).toBe(false)
      const shared = inSharedMemory(layout)
      laid.set(key, shared)
      return shared
    },
  }
  const alone = plan(timetable, new JourneyPlanner(timetable, RULES))
  expect(alone?.length).toBeGreaterThan(0)
  expect(plan(timetable, new JourneyPlanner(timetable, RULES, { share }))).toEqual(alone)
  const keys = [...laid.keys()]
  expect(keys.length).toBe(2)
  expect(plan(timetable, new JourneyPlanner(timetable, RULES, { share }))).toEqual(alone)
  expect([...laid.keys()]).toEqual(keys)
  for (const layout of laid.values()) {
    const { offset } = layout.kind === 'changes' ? layout.footpaths.forward : { offset: layout.span.layer.data }
    expect(offset.buffer).toBeInstanceOf(SharedArrayBuffer)
  }
})

test('layouts reach running planners and those that start later; an array that differs stays separate', async () => {
  const timetable = await timetableOf(SMALL_FEED)
  const [one, two] = [new LayoutExchange(), new LayoutExchange()]
  const planner = new JourneyPlanner(timetable, RULES, { share: one.shareOf('test-feed') })
  const journeys = plan(timetable, planner)
  const other = two.shareOf('test-feed')
  await until(() => other.find('changes') !== undefined)
  const late = new LayoutExchange()
  await until(() => late.shareOf('test-feed').find('changes') !== undefined)
  expect(late.shareOf('another-feed').find('changes')).toBeUndefined()
  expect(plan(timetable, new JourneyPlanner(timetable, RULES, { share: late.shareOf('test-feed') }))).toEqual(journeys)
  for (const exchange of [one, two, late]) exchange.close()
})

test('of two planners at once, one has its turn first, and the other when that one is done', async () => {
  const exchanges = [new LayoutExchange(), new LayoutExchange()] as const
  const order: string[] = []
  const layOut = async (name: string, exchange: LayoutExchange) => {
    for (const _ of exchange.turn('test-network')) await new Promise((resolve) => setTimeout(resolve))
    order.push(`${name} begins`)
    await new Promise((resolve) => setTimeout(resolve, 50))
    order.push(`${name} ends`)
    exchange.done('test-network')
  }
  await Promise.all([layOut('one', exchanges[0]), layOut('two', exchanges[1])])
  const [first] = order
  const names = first === 'one begins' ? ['one', 'two'] : ['two', 'one']
  expect(order).toEqual(names.flatMap((name) => [`${name} begins`, `${name} ends`]))
  for (const exchange of exchanges) exchange.close()
})
