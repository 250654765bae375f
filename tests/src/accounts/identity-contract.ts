// The contract for a store's passwords, sessions and links, as tests that every kind of store must pass. A store fails
// if a link works twice, if a session survives a change that should end it, or if a change is stored in part.
import { expect, test } from 'bun:test'
import { makeEvent } from '../../../src/accounts/account-event.ts'
import type { AccountStore } from '../../../src/accounts/account-store.ts'
import type { LinkUse, StoredLink, StoredSession } from '../../../src/accounts/identity-store.ts'
import { NOON_MILLIS } from '../account-fixture.ts'
import { ACCOUNT, storedKey } from './stored-records.ts'

const HOUR_MILLIS = 3_600_000
const OTHER = { ...ACCOUNT, id: 'acc_other', email: 'eve@example.org' }
const UNVERIFIED = { ...ACCOUNT, isVerified: false }

/**
 * Declares the tests for a kind of store.
 * @param open returns an empty store
 */
export function testIdentityContract(open: () => Promise<AccountStore>): void {
  testSignUps(open)
  testLinks(open)
  testPruning(open)
  testSessions(open)
  testErasing(open)
}

function testSignUps(open: () => Promise<AccountStore>): void {
  test('opens an account with its link and its event, or not at all', async () => {
    const store = await open()
    await store.identity.signUp(linkOf('a', { passwordHash: 'first' }), openedBy(UNVERIFIED), NOON_MILLIS)
    expect(await store.findAccount('ada@example.org')).toEqual(UNVERIFIED)
    expect(await store.findAccountById(ACCOUNT.id)).toEqual(UNVERIFIED)
    expect(await store.identity.findPassword(ACCOUNT.id)).toBeUndefined()
    const rival = { ...UNVERIFIED, id: 'acc_2' }
    const refused = store.identity.signUp(linkOf('b', { accountId: 'acc_2' }), openedBy(rival), NOON_MILLIS)
    await expect(refused).rejects.toMatchObject({ reason: 'already_exists' })
    expect(await store.identity.useLink(useOf('b'))).toBeUndefined()
    expect(await kinds(store, 'acc_2')).toEqual([])
    expect(await kinds(store)).toEqual(['signed_up'])
  })

  test('a repeated sign-up changes no password, and each link keeps its own', async () => {
    const store = await open()
    await store.identity.signUp(linkOf('a', { passwordHash: 'first' }), openedBy(UNVERIFIED), NOON_MILLIS)
    await store.identity.signUp(linkOf('b', { passwordHash: 'second' }), undefined, NOON_MILLIS)
    expect(await store.identity.findPassword(ACCOUNT.id)).toBeUndefined()
    expect(await store.identity.useLink(useOf('a'))).toBe(ACCOUNT.id)
    expect(await store.identity.findPassword(ACCOUNT.id)).toBe('first')
    expect(await store.identity.useLink(useOf('b'))).toBeUndefined()
  })

  test('finds a sign-up and counts its rivals: only those with valid links', async () => {
    const store = await open()
    const endMillis = NOON_MILLIS + HOUR_MILLIS
    const opened = ACCOUNT.createdAtMillis
    await store.identity.signUp(linkOf('a', { passwordHash: 'first' }), openedBy(UNVERIFIED), NOON_MILLIS)
    expect(await foundSignUp(store, 'a')).toEqual(['first', 0, opened, endMillis])
    const later = { passwordHash: 'second', expiresAtMillis: endMillis + 1 }
    await store.identity.signUp(linkOf('b', later), undefined, NOON_MILLIS)
    await store.identity.insertLink(linkOf('c', { purpose: 'reset' }), NOON_MILLIS)
    expect(await foundSignUp(store, 'a')).toEqual(['first', 1, opened, endMillis])
    expect(await foundSignUp(store, 'a', endMillis)).toBeUndefined()
    expect(await foundSignUp(store, 'b', endMillis)).toEqual(['second', 0, opened, endMillis + 1])
    expect(await foundSignUp(store, 'c')).toBeUndefined()
    await store.identity.useLink(useOf('a'))
    expect(await foundSignUp(store, 'b')).toBeUndefined()
  })
}

/** Returns the sign-up that belongs to a link; undefined if there is none. */
async function foundSignUp(store: AccountStore, token: string, nowMillis = NOON_MILLIS) {
  const found = await store.identity.findSignUp({ digest: useOf(token).digest, nowMillis })
  return found && [found.passwordHash, found.rivalCount, found.openedAtMillis, found.expiresAtMillis]
}

/**
 * Looks up a link, then uses it, and returns the result. Checks that the link is found if and only if it can be used.
 */
async function useIfThere(identity: AccountStore['identity'], use: LinkUse): Promise<string | undefined> {
  const found = await identity.findLink(use)
  const used = await identity.useLink(use)
  expect(found).toBe(used)
  expect(await identity.findLink(use)).toBeUndefined()
  return used
}

function testPruning(open: () => Promise<AccountStore>): void {
  test('a sign-up is rejected once the account is verified, and after a verifying link no other works', async () => {
    const store = await open()
    const { identity } = store
    await store.insertAccount(UNVERIFIED)
    await identity.insertLink(linkOf('early'), NOON_MILLIS)
    await store.updateAccount(ACCOUNT)
    expect(await identity.signUp(linkOf('late', { passwordHash: 'other' }), undefined, NOON_MILLIS)).toBe(false)
    expect(await identity.useLink(useOf('late'))).toBeUndefined()
    expect(await identity.useLink(useOf('early'))).toBeUndefined()
    expect(await identity.findPassword(ACCOUNT.id)).toBeUndefined()
  })

  test('a link for an account that no longer exists does not work', async () => {
    const store = await open()
    await store.identity.insertLink(linkOf('a', { accountId: 'acc_gone' }), NOON_MILLIS)
    expect(await store.identity.useLink(useOf('a'))).toBeUndefined()
    expect(await store.identity.signUp(linkOf('b', { accountId: 'acc_gone' }), undefined, NOON_MILLIS)).toBe(false)
  })

  test('forgets accounts that were never verified, unless something depends on them', async () => {
    const store = await open()
    const { identity } = store
    const nowMillis = NOON_MILLIS + 8 * 24 * HOUR_MILLIS
    const kinds_ = ['plain', 'again', 'young', 'keyed', 'held', 'linked', 'paying', 'verified'] as const
    for (const kind of kinds_) {
      const account = {
        ...UNVERIFIED,
        id: `acc_${kind}`,
        email: `${kind}@example.org`,
        isVerified: kind === 'verified',
        suspendedAtMillis: kind === 'held' ? NOON_MILLIS : null,
        createdAtMillis: kind === 'young' ? nowMillis : NOON_MILLIS,
      }
      const link = linkOf(kind, { accountId: account.id, passwordHash: 'hash' })
      await identity.signUp(link, openedBy(account), NOON_MILLIS)
      const record = { events: [], terms: { atMillis: NOON_MILLIS, fromUnits: 0 } }
      if (kind === 'paying') await store.updateAccount({ ...account, plan: 'pro' }, record)
    }
    await store.insertKey(storedKey('key_00000001', { accountId: 'acc_keyed' }), 2)
    const fresh = linkOf('fresh', { accountId: 'acc_linked', expiresAtMillis: nowMillis + 1 })
    await identity.insertLink(fresh, NOON_MILLIS)
    expect(await identity.pruneUnverified(nowMillis, nowMillis)).toBe(2)
    const left = (await store.listAccounts()).map(({ id }) => id.slice(4))
    expect(left.toSorted()).toEqual(['held', 'keyed', 'linked', 'paying', 'verified', 'young'])
    expect(await kinds(store, 'acc_plain')).toEqual([])
    expect(await identity.pruneUnverified(nowMillis, nowMillis)).toBe(0)
    // The address can be used again.
    const again = { ...UNVERIFIED, id: 'acc_new', email: 'plain@example.org' }
    expect(await identity.signUp(linkOf('new', { accountId: 'acc_new' }), openedBy(again), nowMillis)).toBe(true)
  })
}

function testLinks(open: () => Promise<AccountStore>): void {
  test('uses a link once, however many use it at the same time', async () => {
    const store = await open()
    await store.insertAccount(UNVERIFIED)
    await store.identity.insertLink(linkOf('a'), NOON_MILLIS)
    const uses = Array.from({ length: 20 }, (_, at) =>
      store.identity.useLink(useOf('a', { session: sessionOf(`${at}`) })),
    )
    const used = await Promise.all(uses)
    expect(used.filter((accountId) => accountId !== undefined)).toEqual([ACCOUNT.id])
    const open_ = await Promise.all(used.map((_, at) => store.identity.findSession(digest(`${at}`))))
    expect(open_.filter((session) => session !== undefined)).toHaveLength(1)
    expect(await kinds(store)).toEqual(['verified'])
  })

  test('uses a link before its end, for its purpose, and for an open account', async () => {
    const store = await open()
    await store.insertAccount(UNVERIFIED)
    const { identity } = store
    await identity.insertLink(linkOf('a'), NOON_MILLIS)
    await identity.insertLink(linkOf('nobody', { accountId: null }), NOON_MILLIS)
    expect(await useIfThere(identity, useOf('nobody'))).toBeUndefined()
    expect(await useIfThere(identity, useOf('a', { purpose: 'reset' }))).toBeUndefined()
    expect(await useIfThere(identity, useOf('a', { nowMillis: NOON_MILLIS + HOUR_MILLIS }))).toBeUndefined()
    await store.updateAccount({ ...UNVERIFIED, suspendedAtMillis: 1 })
    expect(await useIfThere(identity, useOf('a'))).toBeUndefined()
    expect(await kinds(store)).toEqual([])
    await store.updateAccount(UNVERIFIED)
    expect(await useIfThere(identity, useOf('a', { nowMillis: NOON_MILLIS + HOUR_MILLIS - 1 }))).toBe(ACCOUNT.id)
    expect(await store.findAccountById(ACCOUNT.id)).toEqual(ACCOUNT)
  })

  test('a link sets the password and ends open sessions and links, for that account only', async () => {
    const store = await open()
    const { identity } = store
    for (const account of [ACCOUNT, OTHER]) {
      await store.insertAccount(account)
      await identity.insertLink(linkOf(`1 ${account.id}`, { accountId: account.id, purpose: 'reset' }), NOON_MILLIS)
      await identity.insertLink(linkOf(`2 ${account.id}`, { accountId: account.id, purpose: 'reset' }), NOON_MILLIS)
      await identity.insertSession(sessionOf(account.id, account.id), undefined, loggedIn(account.id))
    }
    const use = useOf(`1 ${ACCOUNT.id}`, { purpose: 'reset', passwordHash: 'new', session: sessionOf('begun') })
    expect(await identity.useLink(use)).toBe(ACCOUNT.id)
    expect(await identity.findPassword(ACCOUNT.id)).toBe('new')
    expect(await identity.findPassword(OTHER.id)).toBeUndefined()
    expect(await identity.findSession(digest(ACCOUNT.id))).toBeUndefined()
    expect(await identity.findSession(digest('begun'))).toMatchObject({ account: ACCOUNT })
    expect(await identity.findSession(digest(OTHER.id))).toMatchObject({ account: OTHER })
    expect(await identity.useLink(useOf(`2 ${ACCOUNT.id}`, { purpose: 'reset' }))).toBeUndefined()
    expect(await identity.useLink(useOf(`2 ${OTHER.id}`, { purpose: 'reset' }))).toBe(OTHER.id)
  })
}

function testSessions(open: () => Promise<AccountStore>): void {
  test('keeps a session and its latest use', async () => {
    const store = await open()
    const { identity } = store
    await store.insertAccount(ACCOUNT)
    const { digest: of, ...session } = sessionOf('a')
    await identity.insertSession(sessionOf('a'), undefined, loggedIn())
    expect(await identity.findSession(of)).toEqual({ session, account: ACCOUNT })
    await identity.touchSession(of, NOON_MILLIS + 5)
    await identity.touchSession(of, NOON_MILLIS + 3)
    const lastSeenAtMillis = NOON_MILLIS + 5
    expect(await identity.findSession(of)).toEqual({ session: { ...session, lastSeenAtMillis }, account: ACCOUNT })
    expect(await identity.findSession(digest('b'))).toBeUndefined()
    expect(await kinds(store)).toEqual(['logged_in'])
  })

  test('lists an account’s sessions, with their devices and password times, and ends all but one', async () => {
    const store = await open()
    const { identity } = store
    await store.insertAccount(ACCOUNT)
    await store.insertAccount(OTHER)
    const first = { ...sessionOf('a'), createdAtMillis: NOON_MILLIS - 1, device: null }
    await identity.insertSession(first, undefined, loggedIn())
    await identity.insertSession(sessionOf('b'), undefined, loggedIn())
    await identity.insertSession(sessionOf('other', OTHER.id), undefined, loggedIn(OTHER.id))
    await identity.confirmSession(digest('a'), NOON_MILLIS + 9)
    await identity.confirmSession(digest('none'), NOON_MILLIS)
    expect(await identity.listSessions(ACCOUNT.id)).toEqual([
      sessionOf('b'),
      { ...first, confirmedAtMillis: NOON_MILLIS + 9 },
    ])
    await identity.deleteOtherSessions(ACCOUNT.id, digest('a'))
    expect((await identity.listSessions(ACCOUNT.id)).map((each) => each.digest)).toEqual([digest('a')])
    expect(await identity.listSessions(OTHER.id)).toHaveLength(1)
  })

  test('ends one session, the one that another replaces, all of an account’s, or expired ones', async () => {
    const store = await open()
    const { identity } = store
    await store.insertAccount(ACCOUNT)
    await store.insertAccount(OTHER)
    const begin = (name: string, replaced?: string) =>
      identity.insertSession(sessionOf(name), replaced === undefined ? undefined : digest(replaced), loggedIn())
    const openOf = async (names: readonly string[]) => {
      const found = await Promise.all(names.map((name) => identity.findSession(digest(name))))
      return names.filter((_, at) => found[at] !== undefined)
    }
    const names = ['over', 'a', 'b', 'c', 'd', 'other']
    await identity.insertSession({ ...sessionOf('over'), expiresAtMillis: NOON_MILLIS }, undefined, loggedIn())
    await identity.insertSession(sessionOf('other', OTHER.id), undefined, loggedIn(OTHER.id))
    for (const name of ['a', 'b', 'c']) await begin(name)
    await begin('d', 'a')
    expect(await openOf(names)).toEqual(['b', 'c', 'd', 'other'])
    await identity.deleteSession(digest('b'))
    expect(await openOf(names)).toEqual(['c', 'd', 'other'])
    const changed = makeEvent('password_changed', { accountId: ACCOUNT.id, atMillis: NOON_MILLIS, actor: 'owner' })
    await identity.changePassword('new', sessionOf('a'), changed)
    expect(await openOf(names)).toEqual(['a', 'other'])
    expect(await identity.findPassword(ACCOUNT.id)).toBe('new')
    await begin('b')
    await identity.deleteSessions(ACCOUNT.id)
    expect(await openOf(names)).toEqual(['other'])
    expect((await kinds(store)).at(0)).toBe('logged_in')
    expect((await kinds(store)).at(1)).toBe('password_changed')
  })

  test('forgets an account’s identity', async () => {
    const store = await open()
    const { identity } = store
    await identity.signUp(linkOf('a', { purpose: 'reset', passwordHash: 'first' }), openedBy(ACCOUNT), NOON_MILLIS)
    await identity.useLink(useOf('a', { purpose: 'reset', passwordHash: 'first' }))
    expect(await identity.findPassword(ACCOUNT.id)).toBe('first')
    await identity.insertSession(sessionOf('a'), undefined, loggedIn())
    await identity.forget(ACCOUNT.id)
    expect(await identity.findPassword(ACCOUNT.id)).toBeUndefined()
    expect(await identity.findSession(digest('a'))).toBeUndefined()
    expect(await identity.useLink(useOf('a'))).toBeUndefined()
    expect(await kinds(store)).toEqual(['logged_in', 'verified', 'signed_up'])
  })
}

function testErasing(open: () => Promise<AccountStore>): void {
  test('erases each account once, when due: address, key names, and both in events', async () => {
    const store = await open()
    const { identity } = store
    const dueMillis = NOON_MILLIS + 14 * 24 * HOUR_MILLIS
    const deletions = { open: null, due: NOON_MILLIS, nameless: NOON_MILLIS, later: NOON_MILLIS + 1 }
    for (const [name, deletedAtMillis] of Object.entries(deletions)) {
      const email = name === 'nameless' ? null : `${name}@example.org`
      await store.insertAccount({ ...ACCOUNT, id: `acc_${name}`, email, deletedAtMillis })
      const made = makeEvent('key_created', about(`acc_${name}`), { name: 'secret' })
      await store.insertKey(storedKey(`key_${name}`, { accountId: `acc_${name}`, name: 'secret' }), 2, {
        events: [made, makeEvent('plan_changed', about(`acc_${name}`), { to: 'pro' })],
      })
      await identity.insertLink(linkOf(name, { accountId: `acc_${name}`, purpose: 'reset' }), NOON_MILLIS)
    }
    expect(await identity.eraseDeleted(NOON_MILLIS - 1, dueMillis)).toBe(0)
    expect(await identity.eraseDeleted(NOON_MILLIS, dueMillis)).toBe(2)
    expect(await identity.eraseDeleted(NOON_MILLIS, dueMillis)).toBe(0)
    expect((await store.listAccounts()).map(({ id, email }) => [id, email]).toSorted()).toEqual([
      ['acc_due', null],
      ['acc_later', 'later@example.org'],
      ['acc_nameless', null],
      ['acc_open', 'open@example.org'],
    ])
    expect(await store.findAccount('due@example.org')).toBeUndefined()
    const names = (await store.listKeys()).map(({ id, name }) => [id, name]).toSorted()
    expect(names).toEqual([
      ['key_due', ''],
      ['key_later', 'secret'],
      ['key_nameless', ''],
      ['key_open', 'secret'],
    ])
    const details = async (id: string) =>
      (await store.billing.listEvents(id, { limit: 10 })).map(({ kind, detail }) => [kind, detail]).toSorted()
    expect(await details('acc_due')).toEqual([
      ['key_created', {}],
      ['plan_changed', { to: 'pro' }],
    ])
    expect(await details('acc_later')).toEqual([
      ['key_created', { name: 'secret' }],
      ['plan_changed', { to: 'pro' }],
    ])
    // The address can be used again. `eraseDeleted` erases each account only once, so it now finds only the account
    // that was deleted later.
    await store.insertAccount({ ...ACCOUNT, id: 'acc_again', email: 'due@example.org' })
    expect(await identity.eraseDeleted(NOON_MILLIS + 1, dueMillis)).toBe(1)
    expect(await store.findAccount('due@example.org')).toMatchObject({ id: 'acc_again' })
  })
}

function about(accountId: string) {
  return { accountId, atMillis: NOON_MILLIS, actor: 'owner' } as const
}

/** The SHA-256 of a name, in place of the digest of a real token. */
function digest(name: string): string {
  return new Bun.CryptoHasher('sha256').update(name).digest('hex')
}

function linkOf(name: string, members: Partial<StoredLink> = {}): StoredLink {
  return {
    digest: digest(name),
    purpose: 'verify',
    accountId: ACCOUNT.id,
    passwordHash: null,
    expiresAtMillis: NOON_MILLIS + HOUR_MILLIS,
    ...members,
  }
}

function useOf(name: string, members: Partial<LinkUse> = {}): LinkUse {
  const { accountId: _, ...event } = makeEvent('verified', { accountId: '', atMillis: NOON_MILLIS, actor: 'owner' })
  return {
    digest: digest(name),
    purpose: 'verify',
    nowMillis: NOON_MILLIS,
    passwordHash: null,
    session: sessionOf(`of ${name}`),
    events: [event],
    ...members,
  }
}

function sessionOf(name: string, accountId = ACCOUNT.id): StoredSession {
  return {
    digest: digest(name),
    accountId,
    createdAtMillis: NOON_MILLIS,
    lastSeenAtMillis: NOON_MILLIS,
    expiresAtMillis: NOON_MILLIS + 24 * HOUR_MILLIS,
    confirmedAtMillis: NOON_MILLIS,
    device: 'Firefox on Linux',
  }
}

function openedBy(account: typeof ACCOUNT) {
  const about = { accountId: account.id, atMillis: NOON_MILLIS - 1, actor: 'owner' } as const
  return { account, event: makeEvent('signed_up', about) }
}

function loggedIn(accountId = ACCOUNT.id) {
  return makeEvent('logged_in', { accountId, atMillis: NOON_MILLIS, actor: 'owner' })
}

/** The kinds of an account's events, newest first. */
async function kinds(store: AccountStore, accountId = ACCOUNT.id): Promise<string[]> {
  return (await store.billing.listEvents(accountId, { limit: 100 })).map(({ kind }) => kind)
}
