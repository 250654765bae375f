// Tests the text oracle on feeds small enough to check by eye. Each test is about one fault or feature. Fails if a row
// is missing, or has a wrong time, name or position.
import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { readTextBoards } from './text-boards.ts'
import { compareNaturally } from './text-lines.ts'

const folder = mkdtempSync(join(tmpdir(), 'quai-text-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0

/** Writes the small feed with some files replaced. Files in `raw` are written without removing indentation. */
function write(changes: Readonly<Record<string, string>>, raw: Readonly<Record<string, string>> = {}): string {
  const path = join(folder, `feed-${count++}`)
  const files = Object.entries({ ...SMALL_FEED, ...changes }).map(([name, text]) => [name, dedent(text)] as const)
  for (const [name, text] of [...files, ...Object.entries(raw)]) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  return path
}

/** The departures from some stops in the three hours after a time, as `HH:MM:SS trip headsign`. */
async function board(path: string, stopIds: readonly string[], when: string, limit = 50): Promise<string[]> {
  const boards = await readTextBoards(path, 'v')
  const fromSeconds = Date.parse(when) / 1000
  const rows = boards.board({ stopIds, fromSeconds, toSeconds: fromSeconds + 3 * 3600, limit })
  return rows.map(({ trip_id, headsign, seconds }) => {
    const clock = new Date(seconds * 1000).toLocaleTimeString('en-GB', { timeZone: boards.zone })
    return `${clock} ${trip_id.replace('v:trip:', '')} ${headsign}`
  })
}

const MORNING = '2026-03-02T07:00:00+01:00'

test('a board has the calls of the window except last calls, by time', async () => {
  expect(await board(write({}), ['CA', 'CB', 'P'], MORNING)).toEqual([
    '08:00:00 20260302:r1 Gare',
    '08:05:30 20260302:a1 Port',
    '08:07:30 20260302:r1 Gare',
    '08:10:00 20260302:b1 Stade',
    '08:15:30 20260302:a2 Port',
    '08:20:00 20260302:r2 Gare',
    '08:27:30 20260302:r2 Gare',
    '09:10:00 20260302:b2 Stade',
  ])
  expect(await board(write({}), ['T'], MORNING)).toEqual([])
})

test('the window includes its first second and excludes its end', async () => {
  const boards = await readTextBoards(write({}), 'v')
  const at = Date.parse('2026-03-02T08:00:00+01:00') / 1000
  const names = (fromSeconds: number, toSeconds: number) =>
    boards.board({ stopIds: ['P'], fromSeconds, toSeconds, limit: 50 }).map((row) => row.trip_id)
  expect(names(at, at + 20 * 60)).toEqual(['v:trip:20260302:r1'])
  expect(names(at + 1, at + 20 * 60 + 1)).toEqual(['v:trip:20260302:r2'])
})

test('yesterday’s 24:03:30 runs after midnight, under yesterday’s date', async () => {
  expect(await board(write({}), ['CA'], '2026-03-03T00:00:00+01:00')).toEqual(['00:03:30 20260302:a3 Port'])
})

test('on days when the clocks change, times count from noon minus twelve hours', async () => {
  const spring = await board(write({}), ['G'], '2026-03-29T07:30:00+02:00', 1)
  const autumn = await board(write({}), ['G'], '2026-10-25T07:30:00+01:00', 1)
  expect([spring, autumn]).toEqual([['08:00:00 20260329:a1 Port'], ['08:00:00 20261025:a1 Port']])
  // In this night, the hour from two to three occurs twice. The call at 26:30 of the previous service day is at the
  // first 02:30 (00:30 UTC). The call at 02:30 of this service day is at the second 02:30 (01:30 UTC), since the day's
  // times count from 01:00 summer time.
  const night = write({
    'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence
      a1,02:30:00,02:30:00,G,1
      a1,02:40:00,02:40:00,P,2
      a2,26:30:00,26:30:00,G,1
      a2,26:40:00,26:40:00,P,2`,
  })
  const both = ['02:30:00 20261024:a2 Port', '02:30:00 20261025:a1 Port']
  expect(await board(night, ['G'], '2026-10-25T00:30:00Z')).toEqual(both)
  expect(await board(night, ['G'], '2026-10-25T00:30:01Z')).toEqual(both.slice(1))
  expect(await board(night, ['G'], '2026-10-25T01:30:01Z')).toEqual([])
})

test('calendar exceptions add and remove days; a service that has only exceptions also runs', async () => {
  const path = write({
    'calendar_dates.txt': `service_id,date,exception_type
      daily,20260302,2
      extra,20260302,1`,
    'trips.txt': `${SMALL_FEED['trips.txt']}
      7,extra,x,,0
      7,nowhere,y,,0`,
    'stop_times.txt': `${SMALL_FEED['stop_times.txt']}
      x,08:10:00,08:10:00,CB,1
      x,08:20:00,08:20:00,T,2
      y,08:10:00,08:10:00,CB,1
      y,08:20:00,08:20:00,T,2`,
  })
  expect(await board(path, ['CA', 'CB'], MORNING)).toEqual(['08:10:00 20260302:x Stade Élan'])
})

test('there is no row without boarding, none for the end of a loop, one for its start', async () => {
  const path = write({
    'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,stop_headsign
      a1,08:00:00,08:00:00,G,1,,Tour
      a1,08:10:00,08:10:00,P,2,1,
      a1,08:20:00,08:20:00,G,3,,`,
  })
  expect(await board(path, ['G', 'P'], MORNING)).toEqual(['08:00:00 20260302:a1 Tour'])
})

test('frequencies: every headway from the start, the end excluded, all times shifted; an overlap is dropped', async () => {
  const path = write({
    'frequencies.txt': `trip_id,start_time,end_time,headway_secs
      a1,07:00:00,07:30:00,900
      a1,07:20:00,08:00:00,600
      a1,09:00:00,09:00:01,600`,
  })
  expect((await board(path, ['CA'], MORNING)).filter((row) => row.includes(':a1'))).toEqual([
    '07:05:30 20260302:a1@07:00:00 Port',
    '07:20:30 20260302:a1@07:15:00 Port',
    '09:05:30 20260302:a1@09:00:00 Port',
  ])
})

test('missing times are interpolated by distance if it grows, else evenly; at the ends they are dropped', async () => {
  const rows = (distances: readonly (number | string)[]) => `
    trip_id,arrival_time,departure_time,stop_id,stop_sequence,shape_dist_traveled
    a1,,,T,0,
    a1,08:00:00,08:01:00,G,1,${distances[0]}
    a1,,,CA,2,${distances[1]}
    a1,,,CB,3,${distances[2]}
    a1,08:02:01,,P,4,${distances[3]}
    a1,,,T,5,
    a2,08:00:00,08:00:00,CA,1,
    a2,,,CB,2,`
  const filled = async (distances: readonly (number | string)[]) =>
    board(write({ 'stop_times.txt': rows(distances) }), ['T', 'G', 'CA', 'CB', 'P'], MORNING)
  // The stops CA and CB are at 1/10 and 1/2 of the distance from G to P, so their calls are 6.1 s and 30.5 s after
  // 08:01. Times are rounded to the nearest second, and halves are rounded up. If the 61 s were divided evenly, the
  // calls would be after 20.3 s and 40.7 s.
  expect(await filled([0, 1, 5, 10])).toEqual([
    '08:01:00 20260302:a1 Port',
    '08:01:06 20260302:a1 Port',
    '08:01:31 20260302:a1 Port',
  ])
  const evenly = ['08:01:00 20260302:a1 Port', '08:01:20 20260302:a1 Port', '08:01:41 20260302:a1 Port']
  expect(await filled([0, 5, 5, 10])).toEqual(evenly)
  expect(await filled([0, 1, '', 10])).toEqual(evenly)
  expect(await filled(['', 1, 5, 10])).toEqual(evenly)
})

test('faulty rows are dropped: decreasing, duplicate, foreign, unreadable, on demand; the rest is sorted', async () => {
  const path = write({
    'stop_times.txt': `trip_id,stop_id,stop_sequence,arrival_time,departure_time,location_id,start_pickup_drop_off_window
      a1,P,9,08:30:00,08:30:00,,
      a2,G,1,08:01:00,08:01:00,,
      a1,G,1,8:00:00,8:00:00,,
      a1,CB,4,08:12:00,08:11:00,,
      a1,CA,3,08:10:00,,,
      a1,CB,3,08:13:00,08:13:00,,
      a1,CB,5,08:09:00,08:20:00,,
      a1,nowhere,6,08:14:00,08:14:00,,
      a1,CB,7,08:61:00,08:61:00,,
      a1,CB,-1,07:00:00,07:00:00,,
      a1,,8,,,zone,08:00:00
      ghost,G,1,08:00:00,08:00:00,,
      a1,T,10,08:40:00,08:40:00,,`,
  })
  expect(await board(path, ['G', 'CA', 'CB', 'P', 'T'], MORNING)).toEqual([
    '08:00:00 20260302:a1 Port',
    '08:10:00 20260302:a1 Port',
    '08:30:00 20260302:a1 Port',
  ])
})

test('on-demand service at a stop, in a time window or an area is not a call; nor is one with text in pickup or drop-off', async () => {
  const path = write({
    'stop_times.txt': `trip_id,stop_id,stop_sequence,arrival_time,departure_time,pickup_type,drop_off_type,location_group_id,location_id,start_pickup_drop_off_window,end_pickup_drop_off_window
      a1,G,1,08:00:00,08:00:00,,,,,,
      a1,CA,2,08:10:00,08:10:00,,,group,,,
      a1,CA,3,08:11:00,08:11:00,,,,zone,,
      a1,CA,4,,,2,2,,,08:00:00,09:00:00
      a1,CA,5,08:12:00,08:12:00,x,,,,,
      a1,CA,6,08:13:00,08:13:00,,x,,,,
      a1,CB,7,08:20:00,08:20:00,,,,,,
      a1,P,8,08:40:00,08:40:00,,,,,,`,
  })
  expect(await board(path, ['G', 'CA', 'CB'], MORNING)).toEqual([
    '08:00:00 20260302:a1 Port',
    '08:20:00 20260302:a1 Port',
  ])
})

test('boarding needs pickup_type 0, 2, 3 or none', async () => {
  const rows = ['', '0', '1', '2', '3', '4', '7'].map((type, i) =>
    `a1,0${8 + i}:00:00,G,${i},${type}`.replace(',01', ',1'),
  )
  const texts = `trip_id,departure_time,stop_id,stop_sequence,pickup_type\n${rows.join('\n')}\na1,20:00:00,P,99,`
  const boards = await readTextBoards(write({ 'stop_times.txt': texts }), 'v')
  const fromSeconds = Date.parse('2026-03-02T00:00:00+01:00') / 1000
  const rowsOfDay = boards.board({ stopIds: ['G'], fromSeconds, toSeconds: fromSeconds + 86_400, limit: 50 })
  expect(rowsOfDay.map((row) => (row.seconds - fromSeconds) / 3600)).toEqual([8, 9, 11, 12])
})

test('a route without a type is dropped, and its trips with it', async () => {
  const path = write({
    'routes.txt': `route_id,agency_id,route_short_name,route_long_name,route_type
      A,V,A,Gare - Port,
      A,V,A,Gare - Port,word
      7,V,7,Centre - Stade,3`,
  })
  expect(await board(path, ['CA', 'CB', 'P'], MORNING)).toEqual([
    '08:10:00 20260302:b1 Stade',
    '09:10:00 20260302:b2 Stade',
  ])
})

test('one line, or one direction of it; filters apply before the limit', async () => {
  const boards = await readTextBoards(
    Object.fromEntries(Object.entries(SMALL_FEED).map(([name, text]) => [name, dedent(text)])),
    'v',
  )
  const fromSeconds = Date.parse(MORNING) / 1000
  const trips = (filter: { lineId?: string; directionId?: string }, limit = 50) =>
    boards
      .board({ stopIds: ['CA', 'CB', 'P'], fromSeconds, toSeconds: fromSeconds + 7200, limit, ...filter })
      .map((row) => row.trip_id.replace('v:trip:20260302:', ''))
  expect(trips({ lineId: '7' })).toEqual(['b1'])
  expect(trips({ lineId: '7' }, 1)).toEqual(['b1'])
  expect(trips({ lineId: 'A', directionId: '1' })).toEqual(['r1', 'r1', 'r2', 'r2'])
  expect(trips({ directionId: '0' })).toEqual(['a1', 'b1', 'a2'])
  expect(trips({ lineId: 'A', directionId: '1' }, 1)).toEqual(['r1'])
  expect(trips({ lineId: 'nowhere' })).toEqual([])
  expect(boards.directedLines).toEqual(new Set(['A', '7']))
})

test('a line with a trip without a direction is undirected', async () => {
  const path = write({ 'trips.txt': SMALL_FEED['trips.txt']?.replace('A,daily,a2,Port,0', 'A,daily,a2,Port,') ?? '' })
  expect((await readTextBoards(path, 'v')).directedLines).toEqual(new Set(['7']))
})

test('a call at a boarding area is at its platform; one at a station or an impossible position is dropped', async () => {
  const path = write({
    'stops.txt': `${SMALL_FEED['stops.txt']}
      CA1,,,,,4,CA,,
      Z,,Null,0.0,0.0,0,,,`,
    'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence
      a1,07:50:00,07:50:00,Z,0
      a1,08:00:00,08:00:00,CA1,1
      a1,08:05:00,08:05:00,S,2
      a1,08:10:00,08:10:00,P,3`,
  })
  const boards = await readTextBoards(path, 'v')
  const fromSeconds = Date.parse(MORNING) / 1000
  expect(boards.stopIds).toEqual(['CA', 'CB', 'G', 'P', 'T'])
  expect(boards.childrenOf).toEqual(new Map([['S', ['CA', 'CB']]]))
  expect(boards.board({ stopIds: ['Z', 'CA', 'S'], fromSeconds, toSeconds: fromSeconds + 7200, limit: 50 })).toEqual([
    {
      trip_id: 'v:trip:20260302:a1',
      stop_id: 'v:stop:CA',
      line_id: 'v:line:A',
      headsign: 'Port',
      seconds: fromSeconds + 3600,
      call: 0,
    },
  ])
})

test('at the same time, the line decides, then the trip id letter by letter, then the call; the limit applies last', async () => {
  const path = write({
    'routes.txt': `route_id,agency_id,route_short_name,route_long_name,route_type,route_sort_order
      L10,V,10,,3,
      L2,V,2,,3,
      LN,V,N1,,3,1`,
    'trips.txt': `route_id,service_id,trip_id,trip_headsign
      L10,daily,t1,x
      L2,daily,t9,x
      L2,daily,t10,x
      L2,daily,T,x
      LN,daily,zz,x`,
    'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence\n${['t1', 't9', 't10', 'T', 'zz']
      .map((trip) => `${trip},08:00:00,08:00:00,G,1\n${trip},08:00:00,08:00:00,CA,2\n${trip},08:05:00,08:05:00,P,3`)
      .join('\n')}`,
  })
  const order = ['zz', 'zz', 'T', 'T', 't10', 't10', 't9', 't9', 't1', 't1']
  const all = order.map((trip) => `08:00:00 20260302:${trip} x`)
  expect(await board(path, ['CA', 'G'], MORNING)).toEqual(all)
  expect(await board(path, ['CA', 'G'], MORNING, 3)).toEqual(all.slice(0, 3))
  const rows = (await readTextBoards(path, 'v')).board({
    stopIds: ['CA', 'G'],
    fromSeconds: Date.parse(MORNING) / 1000,
    toSeconds: Date.parse(MORNING) / 1000 + 7200,
    limit: 4,
  })
  expect(rows.map(({ stop_id, call }) => `${stop_id} ${call}`)).toEqual([
    'v:stop:G 0',
    'v:stop:CA 1',
    'v:stop:G 0',
    'v:stop:CA 1',
  ])
})

test('codes are in natural order', () => {
  const codes = ['N1', '10', '2A', '1', '2', 'n2', '']
  expect(codes.sort(compareNaturally)).toEqual(['', '1', '2', '2A', '10', 'N1', 'n2'])
})

/**
 * A file's text as some programs would write it: with a byte order mark, CRLF, quotes, and spaces around everything.
 */
function disguise(text: string): string {
  const lines = dedent(text).trim().split('\n')
  const disguised = lines.map((line, index) =>
    line
      .split(',')
      .map((cell) => (index === 0 ? ` ${cell} ` : ` "${cell}" `))
      .join(','),
  )
  return `\uFEFF${disguised.join('\r\n')}\r\n`
}

test('byte order marks, CRLF, quotes, spaces, a subfolder and unrelated files change nothing', async () => {
  const plain = await board(write({}), ['CA', 'CB', 'P'], MORNING)
  const files = Object.entries(SMALL_FEED).map(([name, text]) => [`inside/${name}`, disguise(text)] as const)
  const junk = [
    ['__MACOSX/inside/._stops.txt', 'junk'],
    ['inside/._stops.txt', 'junk'],
  ] as const
  const path = join(folder, 'subfolder')
  for (const [name, text] of [...files, ...junk]) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  expect(await board(path, ['CA', 'CB', 'P'], MORNING)).toEqual(plain)
  const zip = join(folder, 'feed.zip')
  // Some publishers append bytes after the end of the archive.
  writeFileSync(zip, Buffer.concat([zipOf([...files, ...junk]), Buffer.alloc(77)]))
  expect(await board(zip, ['CA', 'CB', 'P'], MORNING)).toEqual(plain)
})

test('values may contain commas, doubled quotes and line breaks', async () => {
  const trips = `route_id,service_id,trip_id,trip_headsign\nA,daily,a1,"Port, ""Rhin""\nSud"\n`
  expect(await board(write({}, { 'trips.txt': trips }), ['G'], MORNING)).toEqual([
    '08:00:00 20260302:a1 Port, "Rhin"\nSud',
  ])
})

/**
 * A zip of uncompressed entries: a local header and the bytes for each file, then the central directory and its end
 * record.
 */
function zipOf(files: readonly (readonly [name: string, text: string])[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of files) {
    const bytes = Buffer.from(text)
    const title = Buffer.from(name)
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt32LE(Bun.hash.crc32(bytes), 10)
    shared.writeUInt32LE(bytes.length, 14)
    shared.writeUInt32LE(bytes.length, 18)
    shared.writeUInt16LE(title.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), shared, title, bytes])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), shared, rest, title]))
    parts.push(local)
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 0, 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, listed, end])
}
