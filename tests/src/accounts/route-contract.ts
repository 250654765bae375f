// The contract for a store's response counts by route. A store fails if a batch that is sent again is added twice, if a
// sum includes other days or another account, or if it stores counts for deleted accounts or expired days.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { AccountStore } from '../../../src/accounts/account-store.ts'
import { ROUTE_DAYS_KEPT, type RouteBatch, type RouteRow } from '../../../src/accounts/route-store.ts'
import { bySize, SEED } from '../../size.ts'
import { ACCOUNT, storedKey } from './stored-records.ts'

const DAY = 20_000
const EVER = { firstDay: 0, endDay: 100_000 }
const KEYS = ['key_00000001', 'key_00000002', 'key_00000003']
const STOP = '/v1/stops/{stop_id}'
const HISTORIES = bySize({ quick: 10, ci: 50, full: 500 })

function batchOf(sequence: number, rows: readonly Partial<RouteRow>[], members: Partial<RouteBatch> = {}): RouteBatch {
  const whole = rows.map(
    (row): RouteRow => ({ keyId: KEYS[0], utcDay: DAY, route: STOP, answers: [1, 0, 0, 0], ...row }),
  )
  return { writerId: 'w1', sequence, today: DAY, rows: whole, ...members }
}

/** Fills a store with two keys for one account, and one key for another account. */
async function fill(store: AccountStore): Promise<void> {
  await store.insertAccount(ACCOUNT)
  await store.insertAccount({ ...ACCOUNT, id: 'acc_2', email: 'eve@example.org' })
  for (const id of KEYS.slice(0, 2)) await store.insertKey(storedKey(id), 9)
  await store.insertKey(storedKey(KEYS[2], { accountId: 'acc_2' }), 9)
}

/** Declares the tests for routes, which belong to the contract of every store (store-contract.ts). */
export function testRouteContract(open: () => Promise<AccountStore>): void {
  test('adds requests by route, each batch once', async () => {
    const { routes, ...store } = await openFilled(open)
    const first = batchOf(1, [
      { answers: [5, 4, 3, 2] },
      { keyId: KEYS[1], route: '/v1/places', answers: [9, 9, 9, 9] },
    ])
    await routes.addRoutes(first)
    await routes.addRoutes(first)
    await routes.addRoutes(batchOf(2, [{ answers: [1, 0, 0, 0] }, { answers: [10, 0, 0, 1] }]))
    await routes.addRoutes(first) // the first batch arrives again, late
    await routes.addRoutes(batchOf(1, [{ keyId: KEYS[2] }, { keyId: 'key_99999999' }], { writerId: 'w2' }))
    expect(await routes.listRoutes(ACCOUNT.id, EVER)).toEqual([
      { keyId: KEYS[1], route: '/v1/places', answers: [9, 9, 9, 9] },
      { keyId: KEYS[0], route: STOP, answers: [16, 4, 3, 3] },
    ])
    expect(await routes.listRoutes('acc_2', EVER)).toEqual([{ keyId: KEYS[2], route: STOP, answers: [1, 0, 0, 0] }])
    await store.forget(ACCOUNT.id)
    expect(await routes.listRoutes(ACCOUNT.id, EVER)).toEqual([])
    expect(await routes.listRoutes('acc_2', EVER)).toHaveLength(1)
  })

  test('sums requests on the requested days, and keeps 92 days', async () => {
    const { routes } = await openFilled(open)
    const days = [DAY - ROUTE_DAYS_KEPT, DAY - ROUTE_DAYS_KEPT + 1, DAY - 1, DAY]
    await routes.addRoutes(
      batchOf(
        1,
        days.map((utcDay) => ({ utcDay })),
      ),
    )
    const answersOf = async (firstDay: number, endDay: number) =>
      (await routes.listRoutes(ACCOUNT.id, { firstDay, endDay })).map(({ answers }) => answers[0])
    expect(await answersOf(0, DAY + 1)).toEqual([3])
    expect(await answersOf(DAY - 1, DAY)).toEqual([1])
    expect(await answersOf(DAY + 1, DAY + 9)).toEqual([])
    await routes.addRoutes(batchOf(2, [], { today: DAY + ROUTE_DAYS_KEPT }))
    expect(await answersOf(0, DAY + 1)).toEqual([])
  })

  test('keeps nothing about a deleted account', async () => {
    const { routes, update } = await openFilled(open)
    await update({ ...ACCOUNT, email: null, deletedAtMillis: 1 })
    await routes.addRoutes(batchOf(1, [{}, { keyId: KEYS[2] }]))
    expect(await routes.listRoutes(ACCOUNT.id, EVER)).toEqual([])
    expect(await routes.listRoutes('acc_2', EVER)).toHaveLength(1)
  })

  test('agrees with adding up by hand', async () => {
    const row = fc.record({
      keyId: fc.constantFrom(...KEYS),
      daysAgo: fc.integer({ min: 0, max: 3 }),
      route: fc.constantFrom(STOP, '/v1/places', 'other'),
      answers: fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9), fc.nat(9)),
    })
    const history = fc.array(fc.array(row, { maxLength: 6 }), { maxLength: 4 })
    const { routes } = await openFilled(open)
    // All histories use the same store, each with its own days and writer.
    let today = DAY
    await fc.assert(
      fc.asyncProperty(history, async (batches) => {
        today += 10
        for (const [at, rows] of batches.entries()) {
          const dated = rows.map(({ daysAgo, ...each }) => ({ ...each, utcDay: today - daysAgo }))
          await routes.addRoutes(batchOf(at + 1, dated, { writerId: `w${today}`, today }))
        }
        const sums = new Map<string, number[]>()
        for (const { keyId, daysAgo, route, answers } of batches.flat()) {
          if (keyId === KEYS[2] || daysAgo > 1) continue
          const sum = sums.get(`${keyId} ${route}`) ?? [0, 0, 0, 0]
          sums.set(
            `${keyId} ${route}`,
            sum.map((count, at) => count + (answers[at] ?? 0)),
          )
        }
        const found = await routes.listRoutes(ACCOUNT.id, { firstDay: today - 1, endDay: today + 1 })
        expect(new Map(found.map((each) => [`${each.keyId} ${each.route}`, [...each.answers]]))).toEqual(sums)
        const totals = found.map(({ answers }) => answers.reduce((sum, count) => sum + count))
        expect(totals).toEqual(totals.toSorted((one, other) => other - one))
      }),
      { numRuns: HISTORIES, seed: SEED },
    )
  }, 60_000)
}

async function openFilled(open: () => Promise<AccountStore>) {
  const store = await open()
  await fill(store)
  return {
    routes: store.routes,
    forget: (accountId: string) => store.identity.forget(accountId),
    update: (account: typeof ACCOUNT) => store.updateAccount(account),
  }
}
