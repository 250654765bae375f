// Tests `quai doctor` with real files, ports, web servers and mail servers, both working and broken. Fails if something
// broken is reported as good, if something good is reported as broken, or if a check that throws or hangs prevents the
// results of other checks from being reported.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transit_realtime } from 'gtfs-realtime-bindings'
import { openSqliteStore } from '../../../src/accounts/sqlite-account-store.ts'
import { runDoctor } from '../../../src/commands/doctor.ts'
import { type Finding, ok, runChecks } from '../../../src/doctor/check.ts'
import { checkDescriptors, checkDisk, checkMemory } from '../../../src/doctor/machine-checks.ts'
import { checkPlans, checkProxy, checkTls } from '../../../src/doctor/service-checks.ts'
import { endFinding, skewFinding } from '../../../src/doctor/source-checks.ts'
import { type Plan, tableOfPlans } from '../../../src/plans/plans.ts'
import { ObjectBucket } from '../../databases/object-bucket.ts'
import { makeDatabase, POSTGRES, sayWhatIsLeftOut } from '../../databases/test-postgres.ts'
import { makeCertificate } from '../../feeds/test-certificate.ts'
import { SmtpSink } from '../account-api/smtp-sink.ts'
import { ACCOUNT, storedKey } from '../accounts/stored-records.ts'

sayWhatIsLeftOut()

const NOW = Date.now()
const folder = mkdtempSync(join(tmpdir(), 'quai-doctor-test-'))
let web: ReturnType<typeof Bun.serve>
let mail: SmtpSink
beforeAll(() => {
  writeFileSync(join(folder, 'feed.zip'), 'PK')
  writeFileSync(join(folder, 'empty.zip'), '')
  mail = new SmtpSink()
  web = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      const { pathname } = new URL(request.url)
      if (pathname === '/key' && request.headers.get('x-key') !== 'right') return new Response('', { status: 403 })
      if (pathname === '/page') return new Response('<html>')
      return new Response(messageOf(pathname === '/old' ? 3 * 86_400 : 0), { status: pathname === '/gone' ? 404 : 200 })
    },
  })
})
afterAll(async () => {
  await web.stop(true)
  mail.stop()
  rmSync(folder, { recursive: true })
})

/** A GTFS-Realtime message of this age, with one vehicle. */
function messageOf(ageSeconds: number): Uint8Array<ArrayBuffer> {
  const header = { gtfsRealtimeVersion: '2.0', timestamp: Math.floor(NOW / 1_000) - ageSeconds }
  const entity = [{ id: '1', vehicle: { vehicle: { id: 'v' }, position: { latitude: 48, longitude: 7 } } }]
  return new Uint8Array(transit_realtime.FeedMessage.encode({ header, entity }).finish())
}

/** Runs the doctor with these settings; returns its exit status and its findings. */
async function examine(settings: string): Promise<{ readonly status: number; readonly findings: readonly Finding[] }> {
  const file = join(folder, 'quai.toml')
  writeFileSync(file, `port = 0\naccount_port = 0\nadmin_port = 0\nexplorer_port = 0\n${settings}`)
  let text = ''
  const io = { stdout: (part: string) => (text += part), stderr: () => {} }
  const status = await runDoctor({ file, env: {} }, { json: true }, io)
  const { is_well, findings } = JSON.parse(text)
  expect(is_well).toBe(status === 0)
  return { status, findings }
}

const statesOf = (findings: readonly Finding[], part: string) =>
  findings.filter((each) => each.part === part).map(({ state }) => state)
const network = (id: string, rest: string) => `[[networks]]\nid = "${id}"\nname = "N"\ncity = "C"\n${rest}\n`
const feed = (id: string, path: string, more = '') =>
  `[[networks.feeds]]\nid = "${id}"\nurl = "http://127.0.0.1:${web.port}${path}"\n${more}\n`

describe('correct settings', () => {
  test('have no fault', async () => {
    const { status, findings } = await examine(
      `mail = { host = "127.0.0.1", port = ${mail.port}, from = "a@b.example" }\n${network('n', 'gtfs = "feed.zip"')}${feed('f', '/trips')}${feed('k', '/key', 'headers = { "x-key" = "right" }')}`,
    )
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([])
    expect(status).toBe(0)
    expect(mail.mails).toEqual([])
    expect(readdirSync(folder).filter((name) => name.includes('doctor'))).toEqual([])
  })
})

describe('faults are reported', () => {
  test('sources', async () => {
    const { status, findings } = await examine(
      `addresses = [{ source = "empty.zip" }]\n${network('n', 'gtfs = "missing.zip"')}${feed('gone', '/gone')}${feed('key', '/key')}`,
    )
    expect(status).toBe(1)
    const reported = findings.filter(({ state }) => state === 'fault').map(({ part, message }) => `${part}: ${message}`)
    expect(reported).toEqual([
      expect.stringMatching(/^n timetable: .*missing\.zip does not exist/),
      expect.stringMatching(/^n feed gone: .*404\. The URL is wrong/),
      expect.stringMatching(/^n feed key: .*403\. Check the access key of the source/),
      expect.stringMatching(/^addresses: .*empty\.zip is empty/),
    ])
  })

  test('a live feed that is a web page, or whose data is too old to show', async () => {
    const long = feed('long', '/old', 'max_age_seconds = 86_400')
    const { findings } = await examine(
      `${network('n', 'gtfs = "feed.zip"')}${feed('page', '/page')}${feed('old', '/old')}${long}`,
    )
    const found = findings.filter(({ part }) => part.startsWith('n feed'))
    const name = `http://127.0.0.1:${web.port}/…`
    const contents = `${name} has 1 vehicle, 3 days old`
    expect(found.map(({ state, message }) => `${state}: ${message}`)).toEqual([
      expect.stringMatching(/^fault: http\S+ is not a GTFS-Realtime message: .+\. Check the address$/),
      `warning: ${contents}: data older than 5 min is not shown. Contact the publisher`,
      `warning: ${contents}: data older than 24 h is not shown. Contact the publisher`,
    ])
  })

  test('a port in use, an unreachable mail server', async () => {
    const { findings } = await examine(
      `mail = { host = "127.0.0.1", port = 1, from = "a@b.example" }\n`.concat(network('n', 'gtfs = "feed.zip"')),
    )
    expect(statesOf(findings, 'mail')).toEqual(['fault'])
    const file = join(folder, 'ports.toml')
    writeFileSync(file, `port = ${web.port}\naccount_port = 0\nadmin_port = 0\nexplorer_port = 0\n`)
    let text = ''
    await runDoctor({ file, env: {} }, { json: false }, { stdout: (part) => (text += part), stderr: () => {} })
    expect(text).toMatch(
      new RegExp(`^fault +ports +port 127\\.0\\.0\\.1:${web.port}: another process uses this port`, 'm'),
    )
    expect(text).toMatch(/\n\d+ ok, 2 warnings, 1 fault\n$/) // the warnings are: no network, and no mail server
  })

  test('a source of another kind: each fault names the finding and the remedy', async () => {
    mkdirSync(join(folder, 'hollow'))
    writeFileSync(join(folder, 'page.html'), '<html>')
    const elsewhere = network('n', 'gtfs = ["hollow", "page.html"]')
    const feeds =
      '[[networks.feeds]]\nid = "t"\nurl = "operator.example/t.pb"\n[[networks.feeds]]\nid = "v"\nurl = "hollow"\n'
    const others = 'addresses = ["hollow"]\nstreets = ["page.html"]\nexplorer_tiles = "hollow"\n'
    const tls = '[tls]\ncert_file = "page.html"\nkey_file = "none.pem"\n'
    const { findings } = await examine(`${others}${tls}${elsewhere}${feeds}`)
    const faults = findings.filter(({ state, part }) => state === 'fault' && part !== 'ports')
    expect(faults.map(({ part, message }) => `${part}: ${message.replaceAll(`${folder}/`, '')}`)).toEqual([
      'tls: page.html is not a valid PEM file for this setting. Correct tls.cert_file',
      'tiles: hollow is not a file. Correct explorer_tiles, or remove this setting for a plain background',
      'n timetable: hollow has no .txt files. Give the path of the timetable folder or of a zip file',
      'n timetable: page.html is not a zip file. Download it again, or correct its path',
      'n feed t: operator.example/t.pb does not exist. Correct its path; a URL starts with http:// or https://',
      'n feed v: hollow is a folder. Give the path of the file',
      'addresses: hollow is a folder. Give the path of the file',
      'streets: page.html is not an .osm.pbf file. Download it again, or correct its path',
    ])
  })

  test('a data directory that is not a folder, or is read-only', () => {
    expect(checkDisk(join(folder, 'feed.zip'))[0]?.state).toBe('fault')
    expect(checkDisk(join(folder, 'new', 'data')).map(({ state }) => state)).not.toContain('fault')
    const closed = join(folder, 'closed')
    mkdirSync(closed)
    chmodSync(closed, 0o500)
    // Root can write to a read-only folder, so for root this folder has no fault.
    if (process.getuid?.() !== 0) expect(checkDisk(closed)[0]).toMatchObject({ state: 'fault' })
    const proc = checkDisk('/proc')
    expect(proc[0]?.state).toBe('fault')
  })

  test('a missing pepper, although keys were made with it', async () => {
    const dataDir = join(folder, 'peppered')
    mkdirSync(dataDir)
    const settings = `data_dir = "peppered"\n`
    expect(statesOf((await examine(settings)).findings, 'pepper')).toEqual(['ok'])
    const store = await openSqliteStore(join(dataDir, 'quai.db'))
    await store.insertAccount(ACCOUNT)
    await store.insertKey(storedKey('k1', { accountId: ACCOUNT.id }), 5)
    await store.close()
    const { status, findings } = await examine(settings)
    expect([status, statesOf(findings, 'pepper')]).toEqual([1, ['fault']])
    writeFileSync(join(dataDir, 'pepper'), 'p1 00', { mode: 0o644 })
    expect(statesOf((await examine(settings)).findings, 'pepper')).toEqual(['warning'])
  })

  test('a cached response does not count as a clock', async () => {
    web.reload({
      fetch: () =>
        new Response(messageOf(0), { headers: { date: new Date(NOW - 3_600_000).toUTCString(), age: '3600' } }),
    })
    const { findings } = await examine(`${network('n', 'gtfs = "feed.zip"')}${feed('f', '/trips')}`)
    expect(statesOf(findings, 'n feed f')).toEqual(['ok'])
  })

  test('too few descriptors, too little memory', () => {
    expect(checkDescriptors(256).state).toBe('warning')
    expect(checkDescriptors(65_536).state).toBe('ok')
    expect(checkDescriptors(undefined).state).toBe('ok')
    expect(checkMemory(256 * 1024 ** 2).state).toBe('warning')
    expect(checkMemory(8 * 1024 ** 3).state).toBe('ok')
  })

  test('clocks that differ, certificates that expire', () => {
    const at = (seconds: number) => skewFinding('x', new Date(NOW - seconds * 1_000).toUTCString(), NOW)?.state
    expect([0, 3, 20, -20, 300].map(at)).toEqual([undefined, undefined, 'warning', 'warning', 'fault'])
    expect(skewFinding('x', null, NOW)).toBeUndefined()
    const days = (count: number) =>
      endFinding('x', { what: 'it', endMillis: NOW + count * 86_400_000, advice: 'Renew it' })?.state
    expect([-1, 5, 30].map(days)).toEqual(['fault', 'warning', undefined])
  })

  test('an untrusted proxy, a certificate with another name or key', () => {
    const base = { baseUrl: 'https://api.example.org', tls: undefined, trustedProxies: [] }
    expect(checkProxy(base).state).toBe('warning')
    expect(checkProxy({ ...base, trustedProxies: ['10.0.0.1'] }).state).toBe('ok')
    expect(checkProxy({ ...base, baseUrl: 'http://localhost:8080' }).state).toBe('ok')
    const [one, other] = ['one', 'other'].map((name) => join(folder, name))
    for (const each of [one, other]) mkdirSync(each)
    const files = makeCertificate(one, 'api.example.org')
    const others = makeCertificate(other, 'api.example.org')
    // The certificate expires in two days, so even the right name gets a warning.
    expect(checkTls(files, 'api.example.org').map(({ state }) => state)).toEqual(['warning'])
    expect(checkTls(files, 'www.example.org').map(({ state }) => state)).toEqual(['warning', 'warning'])
    expect(checkTls({ ...files, keyFile: others.keyFile }, 'api.example.org')[0]?.state).toBe('fault')
  })

  test('a check that crashes or hangs is a fault itself', async () => {
    const findings = await runChecks(
      [
        { part: 'breaks', run: async () => Promise.reject(new Error('broken')) },
        { part: 'hangs', run: () => new Promise(() => {}) },
        { part: 'works', run: async () => [ok('works', 'it works')] },
      ],
      50,
    )
    expect(findings.map(({ part, state }) => `${part} ${state}`)).toEqual(['breaks fault', 'hangs fault', 'works ok'])
  })
})

describe.skipIf(POSTGRES === undefined)('a replica', () => {
  test('has a database and a store that respond, or a report about the one that does not', async () => {
    const [database, bucket] = [await makeDatabase(), await ObjectBucket.start()]
    const settings = `database_url = "${database.url}"\npepper_file = "pepper"\n[cluster]\n${bucket.table}`
    const { findings } = await examine(settings)
    expect(statesOf(findings, 'database')).toEqual(['ok'])
    expect(statesOf(findings, 'store')).toEqual(['ok'])
    bucket.fault = 'away'
    const away = await examine(settings.replace(/quai_test_\w+/, 'quai_test_none'))
    expect(statesOf(away.findings, 'database')).toEqual(['fault'])
    expect(statesOf(away.findings, 'store')).toEqual(['fault'])
    await bucket.stop()
    await database.remove()
  })
})

test('plans that owners can choose are listed, and those without a price', () => {
  const offers = (members: Partial<Record<Plan, boolean>>, price = '') => ({
    currency: 'EUR',
    selfService: tableOfPlans((plan) => members[plan] === true),
    priceTexts: tableOfPlans((plan) => (plan === 'free' ? '€0' : price)),
  })
  expect(checkPlans(offers({}))).toMatchObject({ part: 'plans', state: 'ok' })
  expect(checkPlans(offers({ free: true }))).toMatchObject({
    state: 'ok',
    message: 'owners can choose free in the console',
  })
  expect(checkPlans(offers({ free: true, pro: true }))).toMatchObject({
    state: 'warning',
    message: 'owners can choose free, pro in the console, but the console shows no price for pro. Set price_text',
  })
  expect(checkPlans(offers({ free: true, pro: true }, '€9'))).toMatchObject({ state: 'ok' })
})
