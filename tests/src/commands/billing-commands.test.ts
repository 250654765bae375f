// Tests the commands that show accounts' bills to operators. Fails if a sum differs from the one in the statement, or
// if a key's name can control the terminal.
import { expect, test } from 'bun:test'
import { openGate } from '../../../src/access/open-gate.ts'
import { openAccounts } from '../../../src/accounts/open-accounts.ts'
import { runAccountsShow, runAccountsStatements } from '../../../src/commands/accounts.ts'
import { runKeysList } from '../../../src/commands/keys.ts'
import { makeConfig } from '../account-config.ts'
import { admitted, HandClock, KeptOutput, makeFolder, spend } from '../account-fixture.ts'

const EMAIL = 'ada@example.org'
/**
 * A key name that clears the screen and changes the reading direction in a terminal. New names can't contain these
 * characters, but older names can.
 */
const HOSTILE_NAME = '\u009b2J\u202ename'

test('accounts statements and show print the amount due, in plain ASCII', async () => {
  const config = makeConfig(makeFolder())
  const clock = new HandClock()
  const service = await openAccounts(config, { onProblem: (problem) => console.error(problem), clock })
  const wish = { email: EMAIL, plan: 'pay_as_you_go', name: 'k', scopes: ['transit:read'] } as const
  const made = await service.operations.createKey({ ...wish, scopes: [...wish.scopes], expiresAtMillis: null })
  const { key } = made
  await service.store.renameKey(made.listing.id, HOSTILE_NAME)
  const { id } = await service.operations.showAccount({ email: EMAIL })
  await service.owners.setBilling(id, { isOverageEnabled: true, spendCapCents: 10_000 })
  const { gate } = openGate(await service.start(), 0, clock)
  spend(gate, admitted(gate, key), 13_000)
  clock.millis = Date.UTC(2026, 3, 4)
  await service.closeMonths()
  await service.close()

  const table = new KeptOutput()
  expect(await runAccountsStatements(config, {}, table)).toBe(0)
  expect(table.out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['MONTH', 'EMAIL', 'PLAN', 'UNITS', 'INCLUDED', 'BILLED', 'AMOUNT'],
    ['2026-03', EMAIL, 'pay_as_you_go', '13000', '10000', '3000', '1.50'],
    [''],
  ])
  const json = new KeptOutput()
  expect(await runAccountsStatements(config, { month: '2026-03', json: true }, json)).toBe(0)
  expect(JSON.parse(json.out)).toMatchObject([{ account: EMAIL, account_id: id, month: '2026-03', amount_cents: 150 }])
  const none = new KeptOutput()
  expect(await runAccountsStatements(config, { month: '2026-02', json: true }, none)).toBe(0)
  expect(JSON.parse(none.out)).toEqual([])
  const wrong = new KeptOutput()
  expect(await runAccountsStatements(config, { month: 'march' }, wrong)).toBe(2)
  expect(wrong.err).toContain('2026-10')

  const shown = new KeptOutput()
  expect(await runAccountsShow(config, { email: EMAIL }, shown)).toBe(0)
  expect(shown.out).toContain('overage on, up to 100.00: 0 units, 0.00 so far') // overage of the current month
  expect(shown.out).toMatch(/2026-03 +pay_as_you_go +13000 +10000 +3000 +1\.50/)
  expect(shown.out).toMatch(/statement_closed +service +month: 2026-03, units: 13000, amount_cents: 150/)
  const listed = new KeptOutput()
  expect(await runKeysList(config, {}, listed)).toBe(0)
  const listedJson = new KeptOutput()
  expect(await runKeysList(config, { json: true }, listedJson)).toBe(0)
  expect(JSON.parse(listedJson.out)[0].name).toBe(HOSTILE_NAME)
  for (const { out } of [shown, listed, listedJson]) expect(out).not.toMatch(/[\p{Cf}\u0080-\u009f]/u)
})
