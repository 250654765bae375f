// Tests the rules for accounts and keys, the service with a data directory, and the commands, alone and next to a
// running server. Fails if a rule is broken, if a change arrives late, or if two processes share data.

import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openGate } from '../../src/access/open-gate.ts'
import type { OperationInput } from '../../src/accounts/account-operations.ts'
import type { AccountsService } from '../../src/accounts/accounts-service.ts'
import { openAccounts } from '../../src/accounts/open-accounts.ts'
import { runAccountsDelete, runAccountsList, runAccountsSetPlan, runAccountsShow } from '../../src/commands/accounts.ts'
import { parseExpiry, runKeysCreate, runKeysList, runKeysRevoke } from '../../src/commands/keys.ts'
import { runLedgerVerify } from '../../src/commands/ledger.ts'
import { connectControl, controlSocketPath, listenControl } from '../../src/control/control-socket.ts'
import { PepperUnavailable } from '../../src/keys/pepper.ts'
import { DataDirBusy } from '../../src/system/data-dir-lock.ts'
import { makeConfig } from './account-config.ts'
import {
  admitted,
  answerTo,
  DAY_MILLIS,
  HandClock,
  KeptOutput,
  makeFolder,
  NOON_MILLIS,
  spend,
} from './account-fixture.ts'

const services: AccountsService[] = []

afterEach(async () => {
  for (const service of services.splice(0)) await service.close()
})

async function openService(folder: string, clock = new HandClock()) {
  const problems: string[] = []
  const service = await openAccounts(makeConfig(folder), { onProblem: (problem) => problems.push(problem), clock })
  services.push(service)
  return { service, problems }
}

/** Closes a service before the end of the test. */
async function closeService(service: AccountsService): Promise<void> {
  services.splice(services.indexOf(service), 1)
  await service.close()
}

const NEW_KEY: OperationInput<'createKey'> = {
  email: 'ada@example.org',
  plan: 'free',
  name: 'k',
  scopes: ['transit:read'],
  expiresAtMillis: null,
}

describe('the service', () => {
  test('creates a key that is admitted, charged and reported on every thread, even before a flush', async () => {
    const clock = new HandClock()
    const { service } = await openService(makeFolder(), clock)
    const start = structuredClone(await service.start())
    const threads = [openGate(start, 0, clock), openGate(start, 1, clock)]
    service.subscribe((change) => threads.forEach((thread) => void thread.apply(structuredClone(change))))
    const { key, listing } = await service.operations.createKey(NEW_KEY)
    for (const { gate } of threads) spend(gate, admitted(gate, key), 5)
    const { gate } = threads[0]
    const caller = admitted(gate, key)
    expect(gate.usage(caller)).toEqual({
      plan: 'free',
      period: '2026-03',
      included_units: 10_000,
      units: 10,
      remaining: 9_990,
      overage_available: false,
      overage_enabled: false,
      overage_unit_amount_decimal: '0',
      billable_units: 0,
      spent_cents: 0,
      spend_cap_cents: 0,
      resets_at: '2026-04-01T00:00:00+00:00',
      keys: [
        {
          id: listing.id,
          name: 'k',
          prefix: key.slice(0, 11),
          last_four: key.slice(-4),
          units_today: 10,
          units_period: 10,
          last_used_at: '2026-03-10T12:00:00+00:00',
        },
      ],
    })
    await service.operations.revokeKey({ id: listing.id })
    expect(threads.map((thread) => answerTo(thread.gate, `Bearer ${key}`))).toEqual(['invalid_token', 'invalid_token'])
    spend(gate, caller, 1) // charges a request that was in flight when the key was revoked
    expect(gate.usage(caller)).toMatchObject({ units: 11, keys: [{ units_period: 11 }] })
    clock.millis = Date.UTC(2026, 3, 1)
    expect(gate.usage(caller)).toMatchObject({ period: '2026-04', units: 0, remaining: 10_000, keys: [] })
  })

  test('reads the credential from the header as specified in the contract', async () => {
    const { service } = await openService(makeFolder())
    const { key } = await service.operations.createKey(NEW_KEY)
    const { gate } = openGate(await service.start(), 0)
    const table: [string, string | null][] = [
      ['authentication_required', null],
      ['invalid_token', ''],
      ['invalid_token', key],
      ['invalid_token', `Basic ${key}`],
      ['invalid_token', `Bearer ${key} ${key}`],
      ['invalid_token', `Bearer ${key.slice(0, -1)}`],
      ['invalid_token', `Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2Vzc2lvbg`],
      ['insufficient_scope', `Bearer quai_s_${key.slice(7)}`],
      ['accepted', `Bearer ${key}`],
      ['accepted', `bearer  ${key} `],
    ]
    expect(table.map(([, header]) => answerTo(gate, header))).toEqual(table.map(([expected]) => expected))
  })

  test('usage survives a restart, counted once', async () => {
    const folder = makeFolder()
    const clock = new HandClock()
    const first = await openService(folder, clock)
    const { key } = await first.service.operations.createKey(NEW_KEY)
    const before = openGate(await first.service.start(), 1, clock).gate
    spend(before, admitted(before, key), 7)
    await closeService(first.service)
    clock.millis += 4 * DAY_MILLIS
    const { service, problems } = await openService(folder, clock)
    const { gate } = openGate(await service.start(), 0, clock)
    spend(gate, admitted(gate, key), 1)
    expect(gate.usage(admitted(gate, key))).toMatchObject({ units: 8, keys: [{ units_today: 1, units_period: 8 }] })
    expect((await service.operations.verifyLedger({})).faults).toEqual([])
    expect(problems).toEqual([])
  })

  test('follows the rules for accounts and keys', async () => {
    const { service } = await openService(makeFolder())
    const { createKey, setPlan, setSuspended, deleteAccount, showAccount } = service.operations
    await createKey(NEW_KEY)
    const refusals: [string, () => Promise<unknown>][] = [
      ['not_allowed', () => createKey({ ...NEW_KEY, plan: 'pro' })],
      ['invalid', () => createKey({ ...NEW_KEY, scopes: ['transit:write'] })],
      ['invalid', () => createKey({ ...NEW_KEY, scopes: [] })],
      ['invalid', () => createKey({ ...NEW_KEY, name: ' ' })],
      ['invalid', () => createKey({ ...NEW_KEY, name: 'a\nb' })],
      ['invalid', () => createKey({ ...NEW_KEY, email: 'nobody' })],
      ['invalid', () => createKey({ ...NEW_KEY, email: 'new@example.org', plan: undefined })],
      ['not_found', () => showAccount({ email: 'new@example.org' })],
      ['not_found', () => service.operations.revokeKey({ id: 'key_00000000' })],
    ]
    for (const [reason, refused] of refusals) await expect(refused()).rejects.toMatchObject({ reason })
    await createKey({ ...NEW_KEY, plan: undefined })
    await expect(createKey(NEW_KEY)).rejects.toMatchObject({ reason: 'key_limit_reached' })
    expect(await setPlan({ email: 'ADA@example.org', plan: 'max' })).toMatchObject({
      plan: 'max',
      active_keys: 2,
      key_limit: 50,
    })
    expect(await setSuspended({ email: 'ada@example.org', isSuspended: true })).toMatchObject({ state: 'suspended' })
    await expect(createKey({ ...NEW_KEY, plan: 'max' })).rejects.toMatchObject({ reason: 'not_allowed' })
    await setSuspended({ email: 'ada@example.org', isSuspended: false })
    expect(await deleteAccount({ email: 'ada@example.org' })).toMatchObject({
      state: 'deleted',
      email: null,
      active_keys: 0,
    })
    await expect(showAccount({ email: 'ada@example.org' })).rejects.toMatchObject({ reason: 'not_found' })
  })

  test('two keys created at once for a new address belong to one account', async () => {
    const { service } = await openService(makeFolder())
    await Promise.all([service.operations.createKey(NEW_KEY), service.operations.createKey(NEW_KEY)])
    expect(await service.operations.listAccounts({})).toMatchObject([{ active_keys: 2 }])
  })

  test('simultaneous changes all apply: none is based on what another is changing', async () => {
    const { service } = await openService(makeFolder())
    const { createKey, setPlan, setSuspended, listAccounts } = service.operations
    await createKey(NEW_KEY)
    const email = NEW_KEY.email
    await Promise.all([setSuspended({ email, isSuspended: true }), setPlan({ email, plan: 'pro' })])
    expect(await listAccounts({})).toMatchObject([{ plan: 'pro', state: 'suspended' }])
  })

  test('never stores a key in plain text', async () => {
    const folder = makeFolder()
    const { service } = await openService(folder)
    const { key } = await service.operations.createKey(NEW_KEY)
    await service.flush()
    for (const name of readdirSync(folder)) {
      if (!statSync(join(folder, name)).isFile()) continue
      expect(readFileSync(join(folder, name)).includes(key.slice(12, 50))).toBe(false)
    }
  })

  test('does not start without the pepper for its stored keys', async () => {
    const folder = makeFolder()
    const { service } = await openService(folder)
    await service.operations.createKey(NEW_KEY)
    await closeService(service)
    rmSync(join(folder, 'pepper'))
    await expect(openService(folder)).rejects.toThrow(PepperUnavailable)
    const output = new KeptOutput()
    expect(await runKeysCreate(makeConfig(folder), { account: 'ada@example.org', name: 'x' }, output)).toBe(1)
    expect(output.err).toContain('pepper')
    expect(await runKeysList(makeConfig(folder), {}, output)).toBe(0)
  })

  test('locks its data directory, and releases it', async () => {
    const folder = makeFolder()
    const { service } = await openService(folder)
    // An empty file stands in for the first service's control socket, so the lock looks like that of a service and not
    // that of a short command. A starting service may wait until a command releases the lock, but it must be refused if
    // another service has the lock.
    const socket = controlSocketPath(folder)
    writeFileSync(socket, '')
    await expect(openService(folder)).rejects.toThrow(DataDirBusy)
    rmSync(socket)
    await closeService(service)
    await openService(folder)
  })
})

describe('commands', () => {
  test('work on the store directly if no server runs; only the key is on stdout', async () => {
    const config = makeConfig(makeFolder())
    const output = new KeptOutput()
    const words = { account: 'ada@example.org', plan: 'starter', name: 'first', scope: 'transit:read,account:read' }
    expect(await runKeysCreate(config, { ...words, expires: '2099-12-31' }, output)).toBe(0)
    expect(output.out).toMatch(/^quai_p_[0-9A-Za-z]{49}\n$/)
    const list = new KeptOutput()
    await runKeysList(config, { json: true }, list)
    expect(JSON.parse(list.out)).toMatchObject([
      {
        account: 'ada@example.org',
        state: 'active',
        audience: 'localhost',
        scopes: ['transit:read', 'account:read'],
        expires_at: '2100-01-01T00:00:00+00:00',
      },
    ])
    const wrong = new KeptOutput()
    expect(await runKeysCreate(config, { ...words, plan: 'por' }, wrong)).toBe(2)
    expect(await runKeysCreate(config, { ...words, expires: 'soon' }, wrong)).toBe(2)
    for (const expires of ['2020-01-31', new Date(Date.now() - 1_000).toISOString()]) {
      const late = new KeptOutput()
      expect([await runKeysCreate(config, { ...words, expires }, late), late.out]).toEqual([2, ''])
      expect(late.err).toContain(`--expires is "${expires}", which is in the past`)
    }
    expect(await runAccountsSetPlan(config, { email: 'eve@example.org', plan: 'pro' }, wrong)).toBe(1)
    expect(wrong.err).toContain('did you mean pro?')
    expect(wrong.out).toBe('')
  })

  test('deleting an account leaves its usage in the ledger', async () => {
    const folder = makeFolder()
    const clock = new HandClock()
    const { service } = await openService(folder, clock)
    const { key } = await service.operations.createKey(NEW_KEY)
    const { gate } = openGate(await service.start(), 0, clock)
    spend(gate, admitted(gate, key), 12)
    await closeService(service)
    const output = new KeptOutput()
    const config = makeConfig(folder)
    expect(await runAccountsDelete(config, { email: 'ada@example.org' }, output)).toBe(0)
    await runAccountsList(config, { json: true }, output)
    expect(JSON.parse(output.out)).toMatchObject([{ email: null, state: 'deleted' }])
    const verified = new KeptOutput()
    expect(await runLedgerVerify(config, { json: true }, verified)).toBe(0)
    expect(JSON.parse(verified.out)).toMatchObject({ ledger_units: 12, faults: [] })
  })

  test('talk to a running server over its socket, and to the store after it is killed', async () => {
    const folder = makeFolder()
    const config = makeConfig(folder)
    const child = Bun.spawn([process.execPath, `${import.meta.dir}/accounts-child.ts`, folder], { stdout: 'pipe' })
    await child.stdout.getReader().read()
    expect(statSync(controlSocketPath(folder)).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'lock')).mode & 0o777).toBe(0o600) // anybody who can open the lock file could lock it
    await expect(openService(folder)).rejects.toThrow(`(${child.pid})`)
    const output = new KeptOutput()
    expect(await runKeysCreate(config, { account: 'a@b', plan: 'free', name: 'n' }, output)).toBe(0)
    expect(await runKeysCreate(config, { account: 'a@b', plan: 'max', name: 'n' }, output)).toBe(1)
    expect(output.err).toContain('quai accounts set-plan a@b max')
    const list = new KeptOutput()
    await runKeysList(config, { json: true }, list)
    const id: string = JSON.parse(list.out)[0].id
    expect(await runKeysRevoke(config, { id }, output)).toBe(0)
    expect(await runLedgerVerify(config, {}, output)).toBe(0)
    expect(await runAccountsShow(config, { email: 'a@b' }, output)).toBe(0)
    expect(await (await connectControl(folder))?.listAccounts({})).toHaveLength(1)
    child.kill('SIGKILL')
    await child.exited
    expect(existsSync(controlSocketPath(folder))).toBe(true)
    const after = new KeptOutput()
    expect(await runKeysList(config, { json: true }, after)).toBe(0)
    expect(JSON.parse(after.out)).toMatchObject([{ id, state: 'revoked' }])
    const { service } = await openService(folder)
    const control = listenControl(folder, { ...service.operations, refreshNetwork: async () => ({}) })
    expect(await (await connectControl(folder))?.listKeys({})).toHaveLength(1)
    await control.close()
    expect(existsSync(controlSocketPath(folder))).toBe(false)
  })

  test('the socket rejects anything that is not an operation', async () => {
    const folder = makeFolder()
    const { service } = await openService(folder)
    const control = listenControl(folder, { ...service.operations, refreshNetwork: async () => ({}) })
    const ask = async (path: string, body: string) =>
      (await fetch(`http://quai/${path}`, { unix: controlSocketPath(folder), method: 'POST', body })).status
    const answers = [await ask('constructor', '{}'), await ask('createKey', '{}'), await ask('listKeys', '{}')]
    expect(answers).toEqual([404, 422, 200])
    await control.close()
  })

  test('an expiry is a time, or a day through its end', () => {
    const table: [string, number | undefined][] = [
      ['2026-03-10', Date.UTC(2026, 2, 11)],
      ['2026-02-30', undefined],
      ['2026-03-10T12:00:00Z', NOON_MILLIS],
      ['2026-03-10T13:00:00+01:00', NOON_MILLIS],
      ['2026-03-10T12:00:00', undefined],
      ['tomorrow', undefined],
      ['', undefined],
    ]
    expect(table.map(([text]) => parseExpiry(text))).toEqual(table.map(([, millis]) => millis))
  })
})
