// Tests requests that find no units left. Fails if a caller is refused until the end of the month although another
// request still holds the last units and may return them. Also fails if requests wait for a database that does not
// respond.
import { expect, test } from 'bun:test'
import type { UnitsNotice } from '../../../src/access/fleet-talk.ts'
import { allocateGrantCells, GrantCells } from '../../../src/cluster/grant-cells.ts'
import { Grants } from '../../../src/cluster/grants.ts'
import { UnitWaiters } from '../../../src/cluster/unit-waiters.ts'
import { allocateCells, monthNumber, QuotaCells } from '../../../src/metering/limit-cells.ts'

const ACCOUNT = 'acc_1'
const CELL = 0
const CAP = 5

test.each([
  ['a call in progress has reserved them', 0, 1],
  ['they are charged', CAP, undefined],
])('the last units are refused while %s', async (_, charged, retryAfterSeconds) => {
  const nowMillis = Date.now()
  const month = monthNumber(nowMillis)
  const memory = { cells: new GrantCells(allocateGrantCells()), quota: new QuotaCells(allocateCells()) }
  const answer = Promise.withResolvers<UnitsNotice>()
  const grants = new Grants({
    replicaId: 'r0',
    store: { grant: async (_replica, _acked, { units }) => ({ beat: 1, waits: false, grants: units.map(spentGrant) }) },
    memory,
    outage: { book: () => [], bookedUnits: 0 },
    pace: { nowMillis: () => 0, wallMillis: () => nowMillis, sleep: Bun.sleep, random: () => 0 },
    leaseSeconds: 600,
    beat: { acked: 0, confirm: () => {} },
    terms: () => ({ cell: CELL, termsMark: 0, cap: () => CAP, outageUnits: () => 0 }),
    plans: () => 0,
    unitsCounted: () => charged,
    notify: answer.resolve,
    onStale: () => {},
    onFault: (error) => answer.reject(error),
  })
  grants.noteTick(0)
  memory.cells.raiseLimit(CELL, month, CAP)
  memory.quota.reserve(CELL, BigInt(CAP), { period: month, limit: BigInt(CAP) })
  const waiters = new UnitWaiters({
    nowMillis: () => 0,
    later: () => () => {},
    send: (request) => request.kind === 'want' && grants.want(request.accountId, request.month, request.units),
    take: () => undefined,
    room: () => 0,
  })
  const refused = waiters.wait({ accountId: ACCOUNT, month: Number(month), units: 1 })
  waiters.notify(await answer.promise)
  expect(await refused).toEqual({ kind: 'exhausted', retryAfterSeconds })
})

test('a database that hangs delays requests for a second, then no longer', async () => {
  const month = monthNumber(Date.now())
  let nowMillis = 0
  const notices: UnitsNotice[] = []
  const grants = new Grants({
    replicaId: 'r0',
    store: { grant: () => new Promise(() => {}) },
    memory: { cells: new GrantCells(allocateGrantCells()), quota: new QuotaCells(allocateCells()) },
    outage: { book: (wishes) => wishes.map(({ units }) => Math.min(units, 2)), bookedUnits: 0 },
    pace: { nowMillis: () => nowMillis, wallMillis: Date.now, sleep: Bun.sleep, random: () => 0 },
    leaseSeconds: 600,
    beat: { acked: 0, confirm: () => {} },
    terms: () => ({ cell: CELL, termsMark: 0, cap: () => CAP, outageUnits: () => 2 }),
    plans: () => 0,
    unitsCounted: () => 0,
    notify: (notice) => notices.push(notice),
    onStale: () => {},
    onFault: (error) => {
      throw error
    },
  })
  grants.noteTick(0)
  grants.want(ACCOUNT, Number(month), 1)
  await Bun.sleep(1)
  nowMillis = 900
  grants.want(ACCOUNT, Number(month), 1)
  expect(notices).toEqual([])
  nowMillis = 1_001
  grants.want(ACCOUNT, Number(month), 1)
  const refusal = { kind: 'unavailable' } as const
  expect(notices).toEqual([{ kind: 'units', accountId: ACCOUNT, month: Number(month), refusal }])
})

/** A grant of all the account's units to this replica. */
function spentGrant({ accountId, month }: { readonly accountId: string; readonly month: number }) {
  const nothing = { grantedNow: 0, usedElsewhere: 0, unspentElsewhere: 0, unspentBySilent: 0 }
  return { accountId, month, granted: CAP, ...nothing, isStale: false }
}
