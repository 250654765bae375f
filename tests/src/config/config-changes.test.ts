// Tests the log lines about differences between two versions of the configuration. Fails if a changed setting is not
// named, if an unchanged setting is named, if a needless restart is requested, if a necessary restart is not requested,
// or if a secret is shown.
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LoadedConfig, loadComparable } from '../../../src/config/config.ts'
import { changeText, listChanges } from '../../../src/config/config-changes.ts'

const folder = mkdtempSync(join(tmpdir(), 'quai-changes-'))
afterAll(() => rmSync(folder, { recursive: true }))

function read(text: string, env: Record<string, string> = {}): LoadedConfig {
  const file = join(folder, 'quai.toml')
  writeFileSync(file, text)
  return loadComparable({ file, env })
}

/** A reference to the environment variable `KEY`, as written in a configuration. */
const REFERENCE = `$\{KEY}`

const network = (id: string, rest = '') => `[[networks]]\nid = "${id}"\ngtfs = "https://a.example/${id}.zip"\n${rest}`
const feed = (id: string, rest = '') => `[[networks.feeds]]\nid = "${id}"\nurl = "https://a.example/${id}"\n${rest}`
const changeLines = (before: LoadedConfig, after: LoadedConfig) =>
  listChanges(before, after).map((change) => `${change.needsRestart ? 'restart ' : ''}${changeText(change)}`)

test('nothing differs if only comments and the order of keys changed', () => {
  const text = network('a', 'city = "C"\nname = "A"\n') + feed('t', 'interval_seconds = 20\n')
  const same = network('a', '# of old\nname = "A"\ncity = "C"\n') + feed('t', 'interval_seconds = 20\n')
  expect(changeLines(read(text), read(same))).toEqual([])
})

test('tables in a list are compared by id: inserting one at the front does not move the others', () => {
  const before = read(network('b', feed('t')) + network('c'))
  const after = read(network('a') + network('b', feed('s') + feed('t', 'interval_seconds = 9\n')))
  expect(listChanges(before, after).map(({ setting }) => setting)).toEqual([
    'networks.b.feeds.t.interval_seconds',
    'networks.b.feeds.s',
    'networks.c',
    'networks.a',
  ])
  expect(changeLines(read(network('a') + network('b')), read(network('b') + network('a')))).toEqual([
    'networks: ["a","b"] → ["b","a"]',
  ])
})

test('changes that a running service applies are separate from those that need a restart', () => {
  const before = read('port = 8000\ntrusted_proxies = ["10.0.0.1"]\n[mail]\nhost = "m"\nfrom = "q@b.example"\n')
  const after = read('trusted_proxies = ["10.0.0.0/8"]\n[log]\nlevel = "warn"\n[plans.pro]\nburst = 1\n', {
    QUAI_PORT: '8001',
  })
  expect(changeLines(before, after).sort()).toEqual([
    'log.level: "info" → "warn"',
    'plans.pro.burst: 2000 → 1',
    'restart mail was {"host":"m","port":587,"secure":false,"user":"","password":"","from":"q@b.example"} and is no longer set',
    'restart port: 8000 → 8001',
    'trusted_proxies: ["10.0.0.1"] → ["10.0.0.0/8"]',
  ])
})

test('a changed secret is named and not shown, wherever it is', () => {
  const text = (secret: string, written: string) =>
    `database_url = "postgres://q:${secret}@db/q"\n${network('a')}${feed('t', `headers = { k = "${written}" }\n`)}` +
    `[[networks.feeds]]\nid = "u"\nurl = "https://u:${secret}@a.example/?key=${secret}"\n`
  const lines = changeLines(
    read(text('first', REFERENCE), { KEY: 'first' }),
    read(text('second', 'second'), { KEY: 'x' }),
  )
  expect(lines.sort()).toEqual([
    `networks.a.feeds.t.headers.k: "${REFERENCE}" → "[redacted]"`,
    'networks.a.feeds.u.url was changed; its value is secret',
    'restart database_url was changed; its value is secret',
  ])
  expect(lines.join()).not.toMatch(/first|second/)
})
