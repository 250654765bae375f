// Tests when months are closed and how they are priced, even if closing fails or is late, or if the clock is wrong.
// Fails if a month stays open, has the wrong price, or changes after it was closed.
import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openGate } from '../../../src/access/open-gate.ts'
import type { Account } from '../../../src/accounts/account-store.ts'
import type { AccountsService } from '../../../src/accounts/accounts-service.ts'
import { MonthClosing } from '../../../src/accounts/month-closing.ts'
import { openAccounts } from '../../../src/accounts/open-accounts.ts'
import { openSqliteStore } from '../../../src/accounts/sqlite-account-store.ts'
import { parseStatement } from '../../../src/accounts/statement.ts'
import { DEFAULT_PLANS } from '../../../src/plans/plans.ts'
import { AccountWorld, GOOD_PASSWORD } from '../account-api/account-world.ts'
import { makeConfig } from '../account-config.ts'
import { admitted, HandClock, makeFolder, spend } from '../account-fixture.ts'
import { ACCOUNT, storedKey, usageRow } from './stored-records.ts'

const ADA = 'ada@example.org'
const services: AccountsService[] = []

afterEach(async () => {
  for (const service of services.splice(0)) await service.close()
})

async function openService(folder: string, clock: HandClock): Promise<AccountsService> {
  const onProblem = (problem: string) => problems.push(problem)
  // Both clocks advance together, so the service never notices a jump.
  const service = await openAccounts(makeConfig(folder), { onProblem, clock, steady: () => clock.millis })
  services.push(service)
  return service
}

const problems: string[] = []

/** No data threads run, so there is nothing to wait for before closing. */
const beforeClosing = async () => {}

async function closeService(service: AccountsService): Promise<void> {
  services.splice(services.indexOf(service), 1)
  await service.close()
}

/** Opens a service on which a new account used some units at noon on 10 March 2026. */
async function openUsed(folder: string, clock: HandClock, units: number) {
  const service = await openService(folder, clock)
  const made = await service.operations.createKey({
    email: ADA,
    plan: 'pay_as_you_go',
    name: 'k',
    scopes: ['transit:read'],
    expiresAtMillis: null,
  })
  const { id } = await service.operations.showAccount({ email: ADA })
  await service.owners.setBilling(id, { isOverageEnabled: true, spendCapCents: 100_000 })
  const { gate } = openGate(await service.start(), 0, clock)
  spend(gate, admitted(gate, made.key), units)
  return { service, id, key: made.key, keyId: made.listing.id }
}

async function statementOf({ store }: AccountsService, id: string, month: string) {
  const found = await store.billing.findStatement(id, month)
  return found === undefined ? undefined : parseStatement(found.document)
}

describe('months', () => {
  test('that ended while nothing ran are closed in order by the next service, including units in slots', async () => {
    const [folder, clock] = [makeFolder(), new HandClock()]
    const { service, id } = await openUsed(folder, clock, 7)
    // A copy of the folder, as if the service had been killed. Nothing was flushed since the units were reported, so
    // they are only in the slots.
    const copy = makeFolder()
    cpSync(folder, copy, { recursive: true })
    for (const name of ['lock', 'lock.pid']) rmSync(join(copy, name))
    await closeService(service)
    clock.millis = Date.UTC(2026, 5, 3)
    const other = await openService(copy, clock)
    other.startFlushing()
    while ((await other.store.billing.findLastClosedMonth()) !== '2026-04') await Bun.sleep(20)
    const heads = await other.store.billing.listStatements(id)
    expect(heads.map(({ month, units }) => [month, units])).toEqual([
      ['2026-04', 0],
      ['2026-03', 7],
    ])
    clock.millis = Date.UTC(2026, 5, 4)
    while ((await other.store.billing.findLastClosedMonth()) !== '2026-05') await Bun.sleep(20)
    expect((await other.operations.verifyLedger({})).faults).toEqual([])
    expect(problems.splice(0)).toEqual([])
  })

  test('are billed by the plans configured at their end', async () => {
    const [folder, clock] = [makeFolder(), new HandClock()]
    const configure = (price: string, included: number) =>
      writeFileSync(
        join(folder, 'quai.toml'),
        `[plans.pay_as_you_go]\nincluded_units = ${included}\noverage_unit_amount_decimal = "${price}"\n`,
      )
    configure('0.3', 100)
    const { service, id } = await openUsed(folder, clock, 7)
    await closeService(service)
    configure('0.5', 5) // on 31 March: applies to all of March
    clock.millis = Date.UTC(2026, 2, 31)
    await closeService(await openService(folder, clock))
    configure('9', 1) // on 1 April: no longer applies to March
    clock.millis = Date.UTC(2026, 3, 1)
    const last = await openService(folder, clock)
    clock.millis = Date.UTC(2026, 3, 4)
    expect(await last.closeMonths()).toEqual(['2026-03'])
    expect(await statementOf(last, id, '2026-03')).toMatchObject({
      included_units: 5,
      overage_units: 2,
      amount_decimal: '1',
      charges: [{ plan: 'pay_as_you_go', units: 2, unit_amount_decimal: '0.5', amount_decimal: '1' }],
    })
  })

  test('have statements for the accounts at that time: not later ones, nor those deleted before', async () => {
    const [folder, clock] = [makeFolder(), new HandClock()]
    const service = await openService(folder, clock)
    const make = (email: string) =>
      service.operations.createKey({ email, plan: 'free', name: 'k', scopes: ['transit:read'], expiresAtMillis: null })
    for (const email of ['early@x', 'gone@x']) await make(email)
    await service.operations.deleteAccount({ email: 'gone@x' })
    clock.millis = Date.UTC(2026, 3, 1)
    await make('late@x')
    clock.millis = Date.UTC(2026, 4, 4)
    expect(await service.closeMonths()).toEqual(['2026-03', '2026-04'])
    const listed = await service.operations.listStatements({})
    expect(listed.map(({ account, month }) => [account, month])).toEqual([
      ['early@x', '2026-04'],
      ['late@x', '2026-04'],
      ['early@x', '2026-03'],
      [null, '2026-03'],
    ])
    expect(await service.operations.listStatements({ month: '2026-04' })).toHaveLength(2)
    expect(await service.operations.showAccount({ email: 'early@x' })).toMatchObject({
      statements: [{ month: '2026-04' }, { month: '2026-03' }],
      events: [
        { kind: 'statement_closed' },
        { kind: 'statement_closed' },
        { kind: 'key_created' },
        { kind: 'signed_up' },
      ],
    })
  })
})

describe('the clock', () => {
  test('set back adds no unit to a closed month', async () => {
    const [folder, clock] = [makeFolder(), new HandClock()]
    const { service, id, key } = await openUsed(folder, clock, 7)
    clock.millis = Date.UTC(2026, 3, 4)
    await service.closeMonths()
    await closeService(service)
    rmSync(join(folder, 'meter'), { recursive: true }) // the next start creates new writers with empty slots
    clock.millis = Date.UTC(2026, 2, 20)
    const other = await openService(folder, clock)
    const { gate } = openGate(await other.start(), 0, clock)
    spend(gate, admitted(gate, key), 5)
    await other.flush()
    expect(await statementOf(other, id, '2026-03')).toMatchObject({ units: 7 })
    expect((await other.operations.verifyLedger({})).faults).toEqual([])
    clock.millis = Date.UTC(2026, 4, 4)
    expect(await other.closeMonths()).toEqual(['2026-04'])
    expect(await statementOf(other, id, '2026-04')).toMatchObject({ units: 5 })
  })

  test('set ahead, and back once months are closed, adds no unit to them either, from any thread', async () => {
    const [folder, clock] = [makeFolder(), new HandClock()]
    const { service, id, key } = await openUsed(folder, clock, 7)
    const start = await service.start()
    const threads = [openGate(start, 0, clock), openGate(start, 1, clock)]
    for (const thread of threads) service.subscribe((change) => thread.apply(structuredClone(change)))
    const { gate } = threads[1]
    const underWay = gate.reserve(admitted(gate, key), 2)
    const marchMillis = clock.millis
    clock.millis = Date.UTC(2026, 4, 4)
    expect(await service.closeMonths()).toEqual(['2026-03', '2026-04'])
    clock.millis = marchMillis
    if ('reason' in underWay) throw new Error(underWay.reason)
    expect(gate.charge(underWay)).toBeUndefined()
    for (const thread of threads) spend(thread.gate, admitted(thread.gate, key), 5)
    // A thread that starts after March and April were closed must not add units to these months either: its units count
    // in May.
    const later = openGate(await service.start(), 1, clock)
    spend(later.gate, admitted(later.gate, key), 3)
    await service.flush()
    expect(await statementOf(service, id, '2026-03')).toMatchObject({ units: 7 })
    expect((await service.operations.verifyLedger({})).faults).toEqual([])
    clock.millis = Date.UTC(2026, 5, 4)
    expect(await service.closeMonths()).toEqual(['2026-05'])
    expect(await statementOf(service, id, '2026-05')).toMatchObject({ units: 15 })
  })

  test('verify reports a ledger with more than a statement', async () => {
    const [folder, clock] = [makeFolder(), new HandClock()]
    const { service, id, keyId } = await openUsed(folder, clock, 7)
    clock.millis = Date.UTC(2026, 3, 4)
    await service.closeMonths()
    await service.store.mergeUsage([usageRow(3, { keyId, utcDay: 20_520 })])
    const { faults } = await service.operations.verifyLedger({})
    expect(faults).toEqual([`the statement for account ${id} and month 2026-03 has 7 units, but the ledger has 10`])
  })
})

describe('closing a month', () => {
  const COUNT = 230

  /** Creates a store with many accounts, each with a used key. */
  async function crowded(path: string) {
    const store = openSqliteStore(path)
    for (let at = 0; at < COUNT; at++) {
      const account: Account = {
        ...ACCOUNT,
        id: `acc_${at}`,
        email: `${at}@example.org`,
        plan: 'pay_as_you_go',
        isOverageEnabled: true,
      }
      await store.insertAccount(account)
      await store.insertKey(storedKey(`key_${at}`, { accountId: account.id }), 1)
      await store.mergeUsage([usageRow(10_000 + at, { keyId: `key_${at}`, utcDay: 20_520 })])
    }
    return store
  }

  test('continues after a failure halfway: each account has one statement and one event', async () => {
    const store = await crowded(join(makeFolder(), 'quai.db'))
    const clock = new HandClock()
    clock.millis = Date.UTC(2026, 3, 4)
    let writes = 0
    const insertStatements = store.billing.insertStatements.bind(store.billing)
    const billing = new Proxy(store.billing, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        if (name !== 'insertStatements') return member.bind(target)
        return (...given: Parameters<typeof insertStatements>) => {
          if (++writes === 3) throw new Error('the disk is full')
          return insertStatements(...given)
        }
      },
    })
    const failing = Object.assign(Object.create(store), { billing })
    const closing = new MonthClosing({
      currency: 'EUR',
      store: failing,
      clock,
      plans: () => DEFAULT_PLANS,
      beforeClosing,
    })
    await expect(closing.closeDue()).rejects.toThrow('the disk is full')
    expect(await store.billing.findLastClosedMonth()).toBeUndefined()
    const before = await store.billing.findStatement('acc_10', '2026-03')
    expect(before?.amountCents).toBe(1) // 10 units at 0.05 cents, rounded half up
    clock.millis += 60_000
    expect(await closing.closeDue()).toEqual(['2026-03'])
    for (let at = 0; at < COUNT; at++) {
      const heads = await store.billing.listStatements(`acc_${at}`)
      expect(heads.map(({ units, overageUnits }) => [units, overageUnits])).toEqual([[10_000 + at, at]])
      expect(await store.billing.listEvents(`acc_${at}`, { limit: 9 })).toHaveLength(1)
    }
    expect(await store.billing.findStatement('acc_10', '2026-03')).toEqual(before)
    await store.close()
  })

  test('can be stopped after a transaction, and the month stays open', async () => {
    const store = await crowded(join(makeFolder(), 'quai.db'))
    const clock = new HandClock()
    clock.millis = Date.UTC(2026, 3, 4)
    const closing = new MonthClosing({ currency: 'EUR', store, clock, plans: () => DEFAULT_PLANS, beforeClosing })
    const run = closing.closeDue()
    closing.stop()
    expect(await run).toEqual([])
    expect(await store.billing.findLastClosedMonth()).toBeUndefined()
    expect(
      await new MonthClosing({ currency: 'EUR', store, clock, plans: () => DEFAULT_PLANS, beforeClosing }).closeDue(),
    ).toEqual(['2026-03'])
    await store.close()
  })

  test('can’t be undone, even by writing to the database directly', async () => {
    const [folder, clock] = [makeFolder(), new HandClock()]
    const { service } = await openUsed(folder, clock, 7)
    clock.millis = Date.UTC(2026, 3, 4)
    await service.closeMonths()
    await closeService(service)
    const database = new Database(join(folder, 'quai.db'))
    expect(() => database.run('UPDATE statements SET units = 1')).toThrow('never changed')
    expect(() => database.run('DELETE FROM statements')).toThrow('never changed')
    database.close()
  })
})

describe('a statement', () => {
  test('can be read by its owner as JSON and as CSV, and by nobody else', async () => {
    const folder = makeFolder()
    writeFileSync(join(folder, 'quai.toml'), '[plans.pay_as_you_go]\nrequests_per_second = 0\n')
    const world = await AccountWorld.open(folder)
    try {
      const browser = await world.member(ADA)
      await world.accounts.operations.setPlan({ email: ADA, plan: 'pay_as_you_go' })
      await browser.send('PATCH', '/v1/billing', { overage_enabled: true, spend_cap_cents: 1_000 })
      const made = await browser.post('/v1/keys', { name: '=1+1,"x"', scopes: ['transit:read'] })
      const { gate } = openGate(await world.accounts.start(), 0, world.clock)
      const caller = admitted(gate, String(made.body['key']))
      for (let call = 0; call < 2_001; call++) spend(gate, caller, 5)
      world.clock.millis = Date.UTC(2026, 3, 4)
      await world.accounts.closeMonths()
      await browser.post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD })
      const closedAt = '2026-04-04T00:00:00+00:00'
      const money = { included_units: 10_000, overage_units: 5, amount_cents: 0, plan: 'pay_as_you_go' }
      expect((await browser.get('/v1/statements')).body).toEqual({
        statements: [{ month: '2026-03', closed_at: closedAt, units: 10_005, ...money }],
      })
      const json = await browser.get('/v1/statements/2026-03.json')
      const line = { date: '2026-03-10', key_id: caller.keyId, key_name: '=1+1,"x"', units: 10_005, calls: 2_001 }
      expect(json.body).toEqual({
        account_id: caller.accountId,
        currency: 'EUR',
        month: '2026-03',
        period: { from: '2026-03-01T00:00:00+00:00', to: '2026-04-01T00:00:00+00:00' },
        closed_at: closedAt,
        units: 10_005,
        calls: 2_001,
        ...money,
        charges: [{ plan: 'pay_as_you_go', units: 5, unit_amount_decimal: '0.05', amount_decimal: '0.25' }],
        amount_decimal: '0.25',
        lines: [line],
      })
      const csv = await browser.get('/v1/statements/2026-03.csv')
      expect(csv.text).toBe(
        [
          'record,date,key_id,key_name,units,calls,unit_amount_decimal,amount_decimal',
          `usage,2026-03-10,${caller.keyId},"'=1+1,""x""",10005,2001,,`,
          'included,2026-03,,,10000,,0,0',
          'overage,2026-03,,pay_as_you_go,5,,0.05,0.25',
          'total,2026-03,,,10005,2001,,0.25',
          '',
        ].join('\r\n'),
      )
      expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
      expect(csv.headers.get('content-disposition')).toBe('attachment; filename="statement-2026-03.csv"')
      for (const name of [
        '2026-02.json',
        '2026-04.csv',
        '2026-03.xml',
        '2026-3.json',
        '2026-13.csv',
        '2026-03',
        '..%2F2026-03.json',
      ]) {
        expect([name, (await browser.get(`/v1/statements/${name}`)).status]).toEqual([name, 404])
      }
      const eve = await world.member('eve@example.org')
      expect((await eve.get('/v1/statements')).body).toEqual({ statements: [] })
      expect((await eve.get('/v1/statements/2026-03.json')).status).toBe(404)
    } finally {
      await world.close()
    }
  })
})
