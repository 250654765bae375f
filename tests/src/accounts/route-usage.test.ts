// Tests response counts by route, on their way from a call to the store. Fails if a response is counted under another
// key, route, status class or day, if a response is lost or counted twice when the store fails, or if a request without
// a valid key is counted.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { RouteBatch, RouteStore } from '../../../src/accounts/route-store.ts'
import { RouteUsage } from '../../../src/accounts/route-usage.ts'
import { openSqliteStore } from '../../../src/accounts/sqlite-account-store.ts'
import type { AnswerCounts } from '../../../src/metering/route-counts.ts'
import { classOfStatus, RouteTally } from '../../../src/metrics/thread-counts.ts'
import { RouteReports } from '../../../src/server/route-reports.ts'
import { HandClock, makeFolder, NOON_MILLIS } from '../account-fixture.ts'
import { ACCOUNT, storedKey } from './stored-records.ts'

const DAY = Math.floor(NOON_MILLIS / 86_400_000)
const EVER = { firstDay: 0, endDay: 100_000 }
const KEY = 'key_00000001'

test('a tally separates keys, routes and classes, and starts again after it was taken', () => {
  const tally = new RouteTally(['/v1/places', 'other'])
  for (const status of [200, 304, 400, 404, 429, 500, 503]) tally.note('a', 0, classOfStatus(status))
  tally.note('b', 1, classOfStatus(200))
  tally.note('a', 1, classOfStatus(403))
  expect(tally.take()).toEqual([
    { keyId: 'a', route: '/v1/places', answers: [2, 2, 1, 2] },
    { keyId: 'a', route: 'other', answers: [0, 1, 0, 0] },
    { keyId: 'b', route: 'other', answers: [1, 0, 0, 0] },
  ])
  expect(tally.take()).toEqual([])
  tally.note('a', 0, 0)
  expect(tally.take()).toEqual([{ keyId: 'a', route: '/v1/places', answers: [1, 0, 0, 0] }])
})

test('a report is dated by its first day, and an empty one is not made', () => {
  const clock = new HandClock()
  const tally = new RouteTally(['other'])
  const days: number[] = []
  const reports = new RouteReports(tally, clock, ({ utcDay }) => days.push(utcDay))
  reports.report()
  tally.note('a', 0, 0)
  clock.millis += 86_400_000
  reports.report()
  tally.note('a', 0, 0)
  reports.report()
  expect(days).toEqual([DAY, DAY + 1])
})

test('a batch with an unknown outcome is stored once', async () => {
  const store = openSqliteStore(join(makeFolder(), 'quai.db'))
  await store.insertAccount(ACCOUNT)
  await store.insertKey(storedKey(KEY), 1)
  let failure: 'none' | 'before' | 'after' = 'none'
  const unsure: Pick<RouteStore, 'addRoutes'> = {
    async addRoutes(batch: RouteBatch) {
      if (failure === 'before') throw new Error('away')
      await store.routes.addRoutes(batch)
      if (failure === 'after') throw new Error('away')
    },
  }
  const usage = new RouteUsage({ store: { ...store.routes, ...unsure }, clock: new HandClock(), onProblem: () => {} })
  const add = (answers: AnswerCounts) => usage.add({ utcDay: DAY, counts: [{ keyId: KEY, route: 'other', answers }] })
  for (failure of ['before', 'after', 'none'] as const) {
    add([1, 2, 3, 4])
    add([10, 0, 0, 0])
    if (failure === 'none') await usage.flush()
    else await expect(usage.flush()).rejects.toThrow('away')
  }
  expect(await store.routes.listRoutes(ACCOUNT.id, EVER)).toEqual([
    { keyId: KEY, route: 'other', answers: [33, 6, 9, 12] },
  ])
  await usage.close()
  await store.close()
})
