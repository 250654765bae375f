// Tests journeys from a running service, which plans them on planner threads: with live feeds, while the data is
// replaced, and with two hundred journeys in flight while boards are requested. Fails if a journey uses a canceled trip
// or a transfer that a delay has broken, if a reload loses a request, or if boards wait for planners.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCity, writeCity } from '../../src/demo/city.ts'
import { canceledTrip, delayedTrip, realtimeFeed } from '../feeds/realtime-feed.ts'
import { dedent, type FeedTexts } from '../feeds/text-feed.ts'
import { bySize, SIZE } from '../size.ts'
import { slowTest } from '../slow-test.ts'
import { journeyFeed, journeyLines } from '../src/api/journey-lines.ts'
import { PacedClient } from './paced-client.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'

/**
 * A p99 up to this value is accepted, even if it is much higher than without load. Below full size, other work runs at
 * the same time, so only a stall is a fault.
 */
const P99_FLOOR_MILLIS = bySize({ quick: 200, ci: 200, full: 10 })

const PORT = 18_810
const NOW_SECONDS = Date.parse('2026-06-10T06:00:00Z') / 1000
const DATE = '20260610'
const IN_FLIGHT = 200
const READ_MILLIS = bySize({ quick: 1_500, ci: 5_000, full: 30_000 })
const PER_SECOND = 150

/**
 * Names of the corridors: groups of stops and trips that are too far apart for walks between them. Each is named after
 * the case that it tests.
 */
const CORRIDORS = ['held', 'broken', 'canceled', 'over', 'start', 'middle', 'end', 'none'] as const
type Corridor = (typeof CORRIDORS)[number]
const KILOMETERS_APART = 60

/**
 * Creates a feed in which each corridor has two trips from A via B to C, half an hour apart, and two connecting trips
 * from C to D.
 */
function corridorFeed(): FeedTexts {
  const all = CORRIDORS.map((name, at) => {
    const north = at * KILOMETERS_APART * 1000
    return {
      stops: {
        [`${name}A`]: north,
        [`${name}B`]: north + 5000,
        [`${name}C`]: north + 9000,
        [`${name}D`]: north + 15_000,
      },
      trips: {
        [`${name}_in-1`]: `${name}A 08:10, ${name}B 08:20, ${name}C 08:30`,
        [`${name}_in-2`]: `${name}A 08:40, ${name}B 08:50, ${name}C 09:00`,
        [`${name}_out-1`]: `${name}C 08:35, ${name}D 08:50`,
        [`${name}_out-2`]: `${name}C 09:05, ${name}D 09:20`,
      },
    }
  })
  return journeyFeed({
    stops: Object.assign({}, ...all.map(({ stops }) => stops)),
    trips: Object.assign({}, ...all.map(({ trips }) => trips)),
  })
}

/** A value of `schedule_relationship` for a stop time update. */
const SKIPPED = 1
const skipping = (trip: string, stop: string) => ({
  id: `skip-${trip}`,
  tripUpdate: {
    trip: { tripId: trip, startDate: DATE },
    stopTimeUpdate: [{ stopId: stop, scheduleRelationship: SKIPPED }],
  },
})

const EVENTS = [
  delayedTrip('held_in-1', DATE, { heldA: 240 }),
  delayedTrip('broken_in-1', DATE, { brokenA: 241 }),
  canceledTrip('canceled_out-1', DATE),
  // Both the first trip and the trip to which its riders transfer are late.
  delayedTrip('over_in-1', DATE, { overA: 600 }),
  delayedTrip('over_out-1', DATE, { overC: 600 }),
  skipping('start_in-1', 'startA'),
  skipping('middle_in-1', 'middleB'),
  skipping('end_in-1', 'endC'),
  canceledTrip('none_in-1', DATE),
  canceledTrip('none_in-2', DATE),
]

/** The expected journey in a corridor, section by section. Trips and stops are named without their corridor. */
const BY_TIMETABLE = ['in-1 A 08:10:00 C 08:30:00', 'out-1 C 08:35:00 D 08:50:00']
const SECOND = ['in-2 A 08:40:00 C 09:00:00', 'out-2 C 09:05:00 D 09:20:00']
const EXPECTED: Record<Corridor, string[]> = {
  held: ['in-1 A 08:14:00 C 08:34:00 live', 'out-1 C 08:35:00 D 08:50:00'],
  broken: SECOND,
  canceled: SECOND,
  over: ['in-1 A 08:20:00 C 08:40:00 live', 'out-1 C 08:45:00 D 09:00:00 live'],
  start: SECOND,
  middle: ['in-1 A 08:10:00 C 08:30:00', 'out-1 C 08:35:00 D 08:50:00'],
  end: SECOND,
  none: [],
}

let entities: Parameters<typeof realtimeFeed>[1] = []
let timestamp = NOW_SECONDS
let upstream: ReturnType<typeof Bun.serve>
let service: ServiceFolder
let serving: Serving
let key = ''

const get = async (path: string) => {
  const response = await fetch(serving.base + path, { headers: { authorization: `Bearer ${key}` } })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}
const corridorPath = (name: Corridor, more = '') =>
  `/v1/journeys?network=ville&from=ville:stop:${name}A&to=ville:stop:${name}D&limit=1${more}`
async function bestOf(name: Corridor, more = ''): Promise<string[]> {
  const answer = await get(corridorPath(name, more))
  expect(answer.status).toBe(200)
  return (journeyLines(answer)[0] ?? []).map((line) => line.replaceAll(`${name}_`, '').replaceAll(name, ''))
}

function writeFeed(name: string, files: FeedTexts): void {
  mkdirSync(join(service.folder, name), { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(service.folder, name, file), dedent(text))
}

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(realtimeFeed(timestamp, entities)),
  })
  service = new ServiceFolder(
    commandOf('source'),
    `data_dir = "data"
[[networks]]
id = "ville"
gtfs = "ville"
[[networks.feeds]]
id = "trips"
url = "http://127.0.0.1:${upstream.port}/trips.pb"
interval_seconds = 1
[[networks]]
id = "city"
gtfs = "city"
`,
  )
  writeFeed('ville', corridorFeed())
  const scale = bySize({ quick: 0.1, ci: 0.5, full: 1 })
  await writeCity(makeCity({ seed: 5, scale, firstDate: 20260601, days: 30 }), join(service.folder, 'city'))
  key = await service.makeKey('tests')
  serving = await service.serve({ workers: 2, port: PORT })
}, 120_000)
afterAll(async () => {
  await end(serving)
  await upstream.stop(true)
  rmSync(service.folder, { recursive: true })
})

describe('with live data', () => {
  const outcomes = async (more = '') =>
    Object.fromEntries(await Promise.all(CORRIDORS.map(async (name) => [name, await bestOf(name, more)] as const)))

  test('before the first feed message, the timetable applies', async () => {
    expect(await outcomes()).toEqual(Object.fromEntries(CORRIDORS.map((name) => [name, BY_TIMETABLE])))
    const { body } = await get(corridorPath('held'))
    expect([body.meta.freshness, body.data[0].realtime]).toEqual(['scheduled', false])
  })

  test('delays, cancellations and skipped calls are taken into account', async () => {
    entities = EVENTS
    timestamp++
    await until(async () => (await bestOf('held'))[0]?.includes('live') === true, 'the delay shows')
    await until(async () => (await bestOf('none')).length === 0, 'the cancellation shows')
    expect(await outcomes()).toEqual(EXPECTED)
    const { body } = await get(corridorPath('held'))
    expect([body.meta.freshness, body.data[0].realtime]).toEqual(['realtime', true])
    expect(body.data[0].sections.map(({ realtime }: { realtime: boolean }) => realtime)).toEqual([true, false])
    const middle = await get(corridorPath('middle'))
    expect(middle.body.data[0].sections[0].stop_ids).toEqual(['ville:stop:middleA', 'ville:stop:middleC'])
    const none = await get(corridorPath('none'))
    expect([none.body.data, none.body.meta.reason]).toEqual([[], 'no_connection'])
  })

  test('also backward from the arrival', async () => {
    const by = (name: Corridor) => (SECOND === EXPECTED[name] ? '09:20' : name === 'over' ? '09:00' : '08:50')
    for (const name of CORRIDORS.filter((each) => each !== 'none')) {
      const more = `&arrive_by=2026-06-10T${by(name)}:00%2B02:00`
      expect({ name, best: await bestOf(name, more) }).toEqual({ name, best: [...EXPECTED[name]] })
    }
  })

  test('withdrawn updates restore the timetable', async () => {
    entities = []
    timestamp++
    const before = Object.fromEntries(CORRIDORS.map((name) => [name, BY_TIMETABLE]))
    await until(async () => Bun.deepEquals(await outcomes(), before), 'the timetable holds again')
  })
})

test('a reload during journey queries loses none, and the next ones use the new data', async () => {
  const paths = CORRIDORS.map((name) => corridorPath(name))
  /**
   * Returns undefined if the response has exactly one journey, with stop names from exactly one snapshot; otherwise
   * returns the response.
   */
  const check = (text: string) =>
    text.includes('"count":1') && new Set(text.match(/(Name|Round\d+) of/g)).size === 1 ? undefined : text
  const client = new PacedClient({ base: serving.base, key, paths, perSecond: 60, check })
  for (let round = 1; round <= bySize({ quick: 2, ci: 4, full: 12 }); round++) {
    const files = corridorFeed()
    writeFeed('ville', { ...files, 'stops.txt': (files['stops.txt'] ?? '').replaceAll('Name', `Round${round}`) })
    expect((await service.run('import')).status).toBe(0)
    await until(
      async () => (await get(corridorPath('held'))).text.includes(`Round${round}`),
      'the new data is planned with',
    )
  }
  const reading = await client.stop()
  expect(reading.failures.slice(0, 3)).toEqual([])
  expect(reading.count).toBeGreaterThan(20)
}, 120_000)

slowTest(
  `${IN_FLIGHT} journeys in flight alongside boards`,
  async () => {
    const { body } = await get('/v1/networks/city/stops?kind=stop&limit=100')
    const stops = body.data.map(({ id }: { id: string }) => id)
    const boards = stops.map((id: string) => `/v1/stops/${id}/departures`)
    const journeys = stops.map(
      (id: string, at: number) => `/v1/journeys?from=${id}&to=${stops[(at * 37 + 11) % stops.length]}`,
    )
    const read = async () => {
      const client = new PacedClient({
        base: serving.base,
        key,
        paths: boards,
        perSecond: PER_SECOND,
        check: () => undefined,
      })
      await Bun.sleep(READ_MILLIS)
      return await client.stop()
    }
    await read() // warms up the planners
    const idle = await read()
    const crowd = Bun.spawn(
      [process.execPath, join(import.meta.dir, 'journey-crowd.ts'), serving.base, key, `${IN_FLIGHT}`],
      {
        stdin: new Blob([journeys.join('\n')]),
        stdout: 'pipe',
        stderr: 'inherit',
      },
    )
    await Bun.sleep(bySize({ quick: 500, ci: 1_500, full: 3_000 }))
    const busy = await read()
    crowd.kill('SIGTERM')
    const reported = JSON.parse(await new Response(crowd.stdout).text())
    console.log(
      `boards: p99 ${idle.p99Millis.toFixed(1)} ms idle, ${busy.p99Millis.toFixed(1)} ms alongside ${IN_FLIGHT} journeys in flight; of these ${JSON.stringify(reported)}`,
    )
    expect([...idle.failures, ...busy.failures].slice(0, 3)).toEqual([])
    expect(reported.statuses['200']).toBeGreaterThan(0)
    expect(Object.keys(reported.statuses).filter((status) => status !== '200' && status !== '503')).toEqual([])
    if (SIZE !== 'quick') expect(busy.p99Millis).toBeLessThanOrEqual(Math.max(3 * idle.p99Millis, P99_FLOOR_MILLIS))
  },
  300_000,
)
