// Tests a call that waits for units while the same thread handles a call for another account. Fails if the waiting
// caller gets the other account's plan or remaining units.
import { afterEach, expect, test } from 'bun:test'
import type { UnitsNotice } from '../../../src/access/fleet-talk.ts'
import type { AccountsService } from '../../../src/accounts/accounts-service.ts'
import { openAccounts } from '../../../src/accounts/open-accounts.ts'
import { allocateGrantCells, GrantCells } from '../../../src/cluster/grant-cells.ts'
import { openGrantGate } from '../../../src/cluster/grant-gate.ts'
import type { Reason } from '../../../src/http/problem.ts'
import { monthNumber } from '../../../src/metering/limit-cells.ts'
import { Passage } from '../../../src/requests/pipeline.ts'
import { makeConfig } from '../account-config.ts'
import { admitted, makeFolder } from '../account-fixture.ts'

const FREE_LIMITS = { policy: /^"burst";.*"units";q=10000;/, limit: /^"burst";r=49;.*"units";r=(10000|9999);/ }

let accounts: AccountsService | undefined
afterEach(async () => {
  await accounts?.close()
  accounts = undefined
})

const OUTCOMES: readonly (readonly [string, UnitsNotice['refusal'] | 'none', Reason | undefined])[] = [
  ['is granted them', undefined, undefined],
  ['is refused', { kind: 'exhausted', unspentElsewhere: 0, unspentBySilent: 0, pendingHere: 0 }, 'quota_exhausted'],
  ['is notified that the database is unavailable', { kind: 'unavailable' }, 'metering_unavailable'],
  ['hears nothing', 'none', 'metering_unavailable'],
]

test.each(OUTCOMES)('a call that waits for units and %s gets its own limits', async (_, refusal, reason) => {
  const { gate, notify, free, max } = await openGates()
  const passage = new Passage(new Request('http://localhost/'), null)
  const answered = passage.reserve(gate, free.caller, 1)
  gate.reserve(max.caller, 1)
  if (refusal !== 'none') {
    if (refusal === undefined) free.grant(5)
    notify({ kind: 'units', accountId: free.caller.accountId, month: free.month, refusal })
  }
  gate.reserve(max.caller, 1)
  const problem = await answered
  expect(problem?.reason).toBe(reason)
  expect(passage.limits?.policy).toMatch(FREE_LIMITS.policy)
  expect(passage.limits?.limit).toMatch(FREE_LIMITS.limit)
})

/**
 * The gate of one data thread, its handler of notices about units, and two accounts. Only the account on the plan `max`
 * has units.
 */
async function openGates() {
  accounts = await openAccounts(makeConfig(makeFolder()), { onProblem: () => {} })
  const keys = { free: await makeKey(accounts, 'free'), max: await makeKey(accounts, 'max') }
  const grantCells = allocateGrantCells()
  const grants = new GrantCells(grantCells)
  grants.deadlineMillis = Number.POSITIVE_INFINITY
  const start = { ...(await accounts.start()), grantCells }
  const { gate, notify = () => {} } = openGrantGate(start, 0, () => {})
  const month = monthNumber(Date.now())
  const [free, max] = [keys.free, keys.max].map((key) => {
    const caller = admitted(gate, key)
    const cell = start.ring.accounts.find(({ id }) => id === caller.accountId)?.cell ?? 0
    return { caller, month: Number(month), grant: (units: number) => grants.raiseLimit(cell, month, units) }
  })
  max.grant(1_000)
  return { gate, notify, free, max }
}

async function makeKey({ operations }: AccountsService, plan: 'free' | 'max'): Promise<string> {
  const wish = { email: `${plan}@example.org`, name: 'k', scopes: ['transit:read'], expiresAtMillis: null, plan }
  return (await operations.createKey(wish)).key
}
