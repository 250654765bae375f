// Tests the output and the exit status of `quai check` for valid, faulty, refused and hostile feeds. Fails if a fault
// is missing from the report, if the exit status lets a script import a feed that cannot be served, or if text in a
// feed can control the terminal.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { effectOf, isRule, meaningOf, RULES } from '../../../loaders/rules.ts'
import { runCheck } from '../../../src/commands/check.ts'
import { renderCheck } from '../../../src/commands/check-report.ts'
import { toPrintable } from '../../../src/commands/printable.ts'
import { checkFeed, type FeedCheck } from '../../../src/imports/check-feed.ts'
import { parseClock } from '../../../src/system/clock.ts'
import { dedent, SMALL_FEED } from '../../feeds/text-feed.ts'
import { writeZip } from '../../feeds/zip-writer.ts'
import { KeptOutput } from '../account-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'quai-check-test-'))
afterAll(() => rmSync(folder, { recursive: true }))
let made = 0

/** Writes the small feed, with these changes, to a folder; returns its path. */
function feedFolder(changes: Readonly<Record<string, string | undefined>> = {}): string {
  const path = join(folder, `feed-${made++}`)
  mkdirSync(path)
  for (const [name, text] of Object.entries({ ...SMALL_FEED, ...changes })) {
    if (text !== undefined) writeFileSync(join(path, name), dedent(text))
  }
  return path
}

/** The clock in these tests: it stands still, on a day on which the small feed has service. */
const CLOCK = parseClock('2026-03-02T08:00:00Z,x0')
const PLAIN = { hasColors: false, columns: 100 }

const check = (source: string, timezone?: string) => checkFeed({ source, timezone }, CLOCK, () => {})

/** The report on a feed, without the report's first line: the feed's name and size in that line differ between runs. */
async function reportOf(source: string): Promise<string> {
  return renderCheck(await check(source), PLAIN)
    .split('\n')
    .slice(1)
    .join('\n')
}

/** Runs the command; returns its output and exit status. */
async function run(feed: string, options: { json?: boolean; timezone?: string } = {}) {
  const io = new KeptOutput()
  const { json = false, timezone } = options
  const status = await runCheck({ feed, json, timezone }, CLOCK, io)
  return { status, stdout: io.out, stderr: io.err }
}

describe('the report', () => {
  test('of a valid feed lists its contents', async () => {
    expect(await reportOf(feedFolder())).toBe(
      [
        '  2 lines, 5 stops, 1 area, 7 trips, 19 stop times, 0 shapes',
        '  service from 2026-01-01 to 2026-12-31, Europe/Paris',
        '',
        '  FILE            ROWS  LEFT OUT',
        '  agency.txt         1',
        '  stops.txt          6',
        '  routes.txt         2',
        '  calendar.txt       1',
        '  trips.txt          7',
        '  stop_times.txt    19',
        '',
        'can be served',
        '',
      ].join('\n'),
    )
  })

  test('has a block for each rule, with its places and consequences', async () => {
    const feed = feedFolder({
      'routes.txt': (SMALL_FEED['routes.txt'] ?? '').replace('A,V,A', 'A,X,A').replace('E10D19', 'red'),
      'trips.txt': `${SMALL_FEED['trips.txt']}\nA,nightly,x,,\nA,daily,y,,\nA,daily,z,,`,
      'notes.txt': 'note_id\n1',
    })
    expect(await reportOf(feed)).toBe(
      [
        '  2 lines, 5 stops, 1 area, 7 trips, 19 stop times, 0 shapes',
        '  service from 2026-01-01 to 2026-12-31, Europe/Paris',
        '',
        '  FILE            ROWS  LEFT OUT',
        '  agency.txt         1',
        '  stops.txt          6',
        '  routes.txt         2',
        '  calendar.txt       1',
        '  trips.txt         10         1',
        '  stop_times.txt    19',
        '  not read: notes.txt',
        '',
        'error foreign_key_violation: a value refers to a missing row',
        '  routes.txt:2  once, agency_id “X”',
        '    → the line is assigned to the first agency',
        '  trips.txt:9  once, service_id “nightly”',
        '    → the row is dropped, and so are the rows that refer to it',
        '',
        'error invalid_color: a color is invalid',
        '  routes.txt:2  once, route_color “red”',
        '    → the default is used: white, with black text',
        '',
        'warning unused_trip: a trip has no calls',
        '  trips.txt:10  2 times, trip_id “y”',
        '    → the trip is not shown',
        '',
        '  warning: 10.0% of the rows in trips.txt are unusable; to replace a served feed with this one,',
        '  `quai import` needs --force',
        'can be served; 1 of 39 rows is left out',
        '',
      ].join('\n'),
    )
  })

  test('of a rejected feed names the reason and the place', async () => {
    const feed = feedFolder({ 'trips.txt': 'route_id,trip_id\nA,a1' })
    expect(await reportOf(feed)).toBe(
      [
        '',
        'error missing_required_column: a required column is missing',
        '  trips.txt  once, service_id',
        '    → the feed is refused; the previous snapshot stays in service',
        '',
        'cannot be served: trips.txt: a required column is missing (service_id)',
        '',
      ].join('\n'),
    )
  })

  test('stays within the line width and omits nothing', async () => {
    const long = `${'a very long name '.repeat(20)}`.trim()
    const feed = feedFolder({
      'agency.txt': `agency_id,agency_name,agency_url,agency_timezone\nV,V,${long},Europe/Paris`,
    })
    const found = await check(feed)
    for (const columns of [80, 100, 120]) {
      const lines = renderCheck(found, { hasColors: false, columns }).split('\n').slice(1)
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
    }
  })

  test('has colors only on request', async () => {
    const found = await check(feedFolder())
    const colored = renderCheck(found, { hasColors: true, columns: 100 })
    expect(colored).toContain('\x1b[32mcan be served\x1b[0m')
    expect(Bun.stripANSI(colored)).toBe(renderCheck(found, PLAIN))
  })
})

describe('a calendar', () => {
  const daily = (from: string, to: string, days = '1,1,1,1,1,1,1') => ({
    'calendar.txt': `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\ndaily,${days},${from},${to}`,
  })
  const cases = [
    ['that has ended', daily('20250101', '20251231'), "the calendar ended on 2025-12-31: today's boards will be empty"],
    [
      'that is to come',
      daily('20270101', '20271231'),
      "the calendar begins on 2027-01-01: today's boards will be empty",
    ],
    ['without a day', daily('20260101', '20261231', '0,0,0,0,0,0,0'), 'no trip runs on any day: boards will be empty'],
  ] as const
  for (const [what, changes, warning] of cases) {
    test(`${what} is reported; the feed can be served`, async () => {
      const found = await check(feedFolder(changes))
      expect([found.canBeServed, found.warnings]).toEqual([true, [warning]])
    })
  }
})

describe('the command', () => {
  test('exits with 0 if the feed can be served, with or without faults', async () => {
    const faulty = feedFolder({ 'trips.txt': `${SMALL_FEED['trips.txt']}\nA,nightly,x,,` })
    expect([(await run(feedFolder())).status, (await run(faulty)).status]).toEqual([0, 0])
  })

  test('exits with 1 if it cannot, and prints this on stdout', async () => {
    const { status, stdout, stderr } = await run(join(folder, 'nowhere.zip'))
    const verdict = `cannot be served: nowhere.zip: there is no file or folder at this path (${join(folder, 'nowhere.zip')} does not exist)`
    expect([status, stderr, stdout.replaceAll(/\s+/g, ' ')]).toEqual([1, '', expect.stringContaining(verdict)])
  })

  test('exits with 2 for an invalid time zone', async () => {
    const { status, stdout, stderr } = await run(feedFolder(), { timezone: 'Mars/Base' })
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toBe('quai check: "Mars/Base" is not a time zone; expected an IANA name such as Europe/Paris\n')
  })

  test('uses the given zone instead of the feed’s', async () => {
    const feed = feedFolder({ 'agency.txt': (SMALL_FEED['agency.txt'] ?? '').replace('Europe/Paris', 'Mars/Base') })
    expect((await run(feed)).status).toBe(1)
    const { status, stdout } = await run(feed, { timezone: 'Europe/Berlin', json: true })
    expect([status, JSON.parse(stdout).timezone]).toEqual([0, 'Europe/Berlin'])
  })

  test('prints one document with --json, and nothing else', async () => {
    const path = join(folder, 'city.zip')
    const files = { ...SMALL_FEED, 'trips.txt': `${SMALL_FEED['trips.txt']}\nA,nightly,x,,` }
    writeFileSync(path, writeZip(Object.entries(files).map(([name, text]) => ({ name, content: dedent(text) }))))
    const { stdout, stderr } = await run(path, { json: true })
    const expected: FeedCheck = {
      feed: path,
      bytes: Bun.file(path).size,
      canBeServed: true,
      verdict: 'can be served; 1 of 37 rows is left out',
      warnings: [
        '12.5% of the rows in trips.txt are unusable; to replace a served feed with this one, `quai import` needs --force',
      ],
      problems: [
        {
          rule: 'foreign_key_violation',
          severity: 'error',
          file: 'trips.txt',
          action: 'dropped_row',
          count: 1,
          line: 9,
          field: 'service_id',
          example: 'nightly',
          means: 'a value refers to a missing row',
          effect: 'the row is dropped, and so are the rows that refer to it',
        },
      ],
      files: {
        'agency.txt': { rows: 1, dropped: 0 },
        'stops.txt': { rows: 6, dropped: 0 },
        'routes.txt': { rows: 2, dropped: 0 },
        'calendar.txt': { rows: 1, dropped: 0 },
        'trips.txt': { rows: 8, dropped: 1 },
        'stop_times.txt': { rows: 19, dropped: 0 },
      },
      unreadFiles: [],
      counts: { lines: 2, stops: 5, areas: 1, trips: 7, patterns: 3, stopTimes: 19, shapes: 0 },
      agencies: ['Ville'],
      timezone: 'Europe/Paris',
      firstDate: '2026-01-01',
      lastDate: '2026-12-31',
      seconds: expect.any(Number),
    }
    expect([JSON.parse(stdout), stderr]).toEqual([expected, ''])
  })

  test('cleans up the folder for temporary files', async () => {
    const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('quai-check-') && !name.includes('test'))
    const before = left()
    await run(feedFolder())
    await run(join(folder, 'nowhere.zip'))
    expect(left().filter((name) => !before.includes(name))).toEqual([])
  })
})

describe('the process', () => {
  const quai = (...words: readonly string[]) => {
    const main = join(import.meta.dir, '..', '..', '..', 'src', 'main.ts')
    const { exitCode, stdout } = Bun.spawnSync([process.execPath, main, 'check', ...words])
    return { exitCode, stdout: stdout.toString() }
  }

  test('exits with the status of the check, and writes no color into a pipe', () => {
    const served = quai(feedFolder())
    expect([served.exitCode, served.stdout.includes('\x1b'), quai(join(folder, 'nowhere')).exitCode]).toEqual([
      0,
      false,
      1,
    ])
  })

  test('exits with 2 without a feed; its help has examples and explains each status', () => {
    const { exitCode, stdout } = quai('--help')
    expect([quai().exitCode, exitCode]).toEqual([2, 0])
    expect(stdout).toContain('quai check city.zip')
    expect(stdout).toContain('Exit status: 0 the feed can be served, 1 it cannot')
  })
})

describe('a feed on the web', () => {
  const files = Object.entries(SMALL_FEED).map(([name, text]) => ({ name, content: dedent(text) }))
  const bodies: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
    '/city.zip': writeZip(files),
    '/page.zip': new Uint8Array(Buffer.from('<html>moved</html>')),
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      const body = bodies[new URL(request.url).pathname]
      return body === undefined ? new Response('gone', { status: 404 }) : new Response(body)
    },
  })
  afterAll(() => server.stop(true))
  const at = (path: string) => `http://127.0.0.1:${server.port}${path}`

  test('is fetched and checked, and named without possible secrets', async () => {
    const { status, stdout } = await run(at('/city.zip?key=hidden'), { json: true })
    const { feed, verdict, bytes } = JSON.parse(stdout)
    expect([status, verdict, bytes]).toEqual([0, 'can be served', bodies['/city.zip']?.length])
    expect(feed).not.toContain('hidden')
  })

  test('that is not a feed is rejected under its own name', async () => {
    const { status, stdout } = await run(at('/page.zip'))
    expect([status, stdout]).toEqual([1, expect.stringContaining('127.0.0.1')])
    expect(stdout).not.toContain('feed-0')
  })

  test('that does not exist is reported on stderr only', async () => {
    const { status, stdout, stderr } = await run(at('/nothing.zip'), { json: true })
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^quai check: .*404\n$/)])
  })
})

describe('terminal control characters', () => {
  const HOSTILE = '\x1b[2J\x1b]0;owned\x07\u009b31m\u202eright\u2028line\ufeff'

  test('are escaped', () => {
    expect(toPrintable('a\x1b[2J\u202eé\u{1f68b}\n')).toBe('a\\u{1b}[2J\\u{202e}é\u{1f68b}\\u{a}')
  })

  test('reach stdout from no part of a feed, nor from a file’s name', async () => {
    const feed = feedFolder({
      'stops.txt': `${SMALL_FEED['stops.txt']}\n"${HOSTILE}",,X,0,0,0,,,`,
      'routes.txt': `${SMALL_FEED['routes.txt']}\n"${HOSTILE}",V,B,Bus,"${HOSTILE}",,,`,
      [`odd${HOSTILE}.txt`.replaceAll('/', '')]: 'a\n1',
    })
    const refused = feedFolder({
      'agency.txt': `agency_id,agency_name,agency_url,agency_timezone\nV,V,,"${HOSTILE}"`,
    })
    for (const path of [feed, refused]) {
      for (const json of [false, true]) {
        const { stdout } = await run(path, { json })
        expect(
          [...stdout].filter((character) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(character) && character !== '\n'),
        ).toEqual([])
      }
    }
  })
})

describe('each rule', () => {
  test('has a meaning, and an effect for each action, as parts of a sentence', () => {
    const actions = ['refused_feed', 'dropped_row', 'repaired', 'reported'] as const
    for (const rule of RULES) {
      for (const words of [meaningOf(rule), ...actions.map((action) => effectOf({ rule, action, field: '' }))]) {
        expect([rule, words]).toEqual([rule, expect.stringMatching(/^[a-zäöü].*[^.]$/)])
      }
    }
  })

  /**
   * The types keep readers from reporting rules that are not in the table in loaders/rules.ts. This test ensures the
   * reverse: each rule in the table is reported by at least one reader.
   */
  test('is reported by some reader', () => {
    const root = join(import.meta.dir, '..', '..', '..')
    const sources = [join(root, 'src', 'sources', 'feed-source.ts'), ...filesOf(join(root, 'loaders'))]
    const text = sources.map((file) => readFileSync(file, 'utf8')).join('\n')
    const named = new Set([...text.matchAll(/'([a-z]+(?:_[a-z]+)+)'/g)].map(([, name]) => name ?? '').filter(isRule))
    expect(RULES.filter((rule) => !named.has(rule))).toEqual([])
  })

  function filesOf(path: string): string[] {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && entry.name !== 'rules.ts')
      .map((entry) => join(entry.parentPath, entry.name))
  }
})
