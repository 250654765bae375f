// Tests parts of responses that are rendered at import (the texts of a snapshot). A response must have the same bytes
// as if these parts were rendered at their first use. Fails if a part is cut at the wrong byte or belongs to another
// stop, or if these parts are used although the towns or the network's id differ.
import { describe, expect, test } from 'bun:test'
import { buildTimetable } from '../../../indexes/timetable/build-timetable.ts'
import type { AreaIndex, LineIndex, StopIndex, Timetable } from '../../../indexes/timetable/timetable.ts'
import { columnArray, rowsOf } from '../../../loaders/columns.ts'
import type { FeedSource } from '../../../loaders/gtfs/feed.ts'
import { loadFeed } from '../../../loaders/gtfs/load-feed.ts'
import { textOf } from '../../../loaders/strings.ts'
import { ServedAddresses } from '../../../src/places/served-addresses.ts'
import { openTexts, textsKey } from '../../../src/rendering/made-texts.ts'
import { makeSnapshotTexts, type Towns } from '../../../src/rendering/snapshot-view.ts'
import { indexOf } from '../../feeds/address-file.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { cityFeed, oddFeed } from '../../fuzz/api/fuzzed-service.ts'
import { openApi } from '../api/api-under-test.ts'

/**
 * Maximum size in bytes of all parts that are rendered at import, divided by a sum: the number of stops plus the number
 * of calls in patterns.
 */
const MOST_BYTES = 200
/** Time limit of a test, long enough for a busy machine. */
const LIMIT_MILLIS = 30_000
/** Maximum number of paths that a test requests. If there are more paths, the test requests evenly spaced ones. */
const MOST_PATHS = 250
const HOUSE = { streetId: '67482_1', number: 3, street: 'Rue de la Gare', postcode: '67000', communeCode: '67482' }
const AROUND_CENTRE = { ...HOUSE, commune: 'Strasbourg "Neudorf"', lat: 48.58, lon: 7.75 }

async function timetableOf(feed: FeedSource): Promise<Timetable> {
  return buildTimetable((await loadFeed(feed)).feed)
}

async function townsOf(id: string, commune: string): Promise<ServedAddresses> {
  return new ServedAddresses({ index: await indexOf([{ ...AROUND_CENTRE, commune }]), id, madeAtMillis: 0 }, ['BAN'])
}

/** Paths whose responses contain parts that are rendered at import. */
function pathsOf({ stops, areas, lines, strings }: Timetable): string[] {
  const stopRows = Array.from(columnArray(rowsOf(stops.id)), (row) => row as StopIndex)
  const areaRows = Array.from(columnArray(rowsOf(areas.id)), (row) => row as AreaIndex)
  const lineRows = Array.from(columnArray(rowsOf(lines.id)), (row) => row as LineIndex)
  const placeIds = [
    ...stopRows.map((stop) => `ville:stop:${textOf(strings, stops.id[stop])}`),
    ...areaRows.map((area) => `ville:area:${textOf(strings, areas.id[area])}`),
  ]
  const names = stopRows.map((stop) => textOf(strings, stops.name[stop]))
  return [
    ...placeIds.flatMap((id) => [
      `/v1/stops/${encodeURIComponent(id)}`,
      `/v1/stops/${encodeURIComponent(id)}/departures?when=2026-06-10T06:00:00Z&limit=5`,
    ]),
    ...lineRows.map((line) => `/v1/lines/${encodeURIComponent(`ville:line:${textOf(strings, lines.id[line])}`)}/stops`),
    ...stopRows.flatMap((stop) => {
      const near = `near=${stops.lat[stop]},${stops.lon[stop]}`
      return [`/v1/stops/nearby?${near}&radius=400`, `/v1/departures/nearby?${near}`, `/v1/places/reverse?${near}`]
    }),
    ...new Set(names.map((name) => `/v1/places?q=${encodeURIComponent(name.slice(0, 80))}`)),
    '/v1/networks/ville/stops?limit=100',
  ]
}

async function expectSameAnswers(feed: () => FeedSource, addresses: ServedAddresses | undefined): Promise<void> {
  const options = addresses === undefined ? {} : { addresses }
  const rendered = await openApi({ networks: [{ id: 'ville', feed: feed() }], ...options })
  const made = await openApi({ networks: [{ id: 'ville', feed: feed(), texts: { towns: addresses } }], ...options })
  const timetable = await timetableOf(feed())
  const paths = pathsOf(timetable)
  const step = Math.ceil(paths.length / MOST_PATHS)
  for (const path of paths.filter((_, at) => at % step === 0)) {
    const [{ status, text }, other] = [await made.get(path), await rendered.get(path)]
    expect({ path, status, text }).toEqual({ path, status: 200, text: other.text })
  }
}

describe('responses with texts made at import equal those rendered at first use', () => {
  test(
    'on the small feed, with towns and without',
    async () => {
      await expectSameAnswers(smallFeed, undefined)
      await expectSameAnswers(smallFeed, await townsOf('ban1', AROUND_CENTRE.commune))
    },
    LIMIT_MILLIS,
  )

  test('with ids and names that need escaping in JSON', () => expectSameAnswers(oddFeed, undefined), LIMIT_MILLIS)

  test('in a generated city', () => expectSameAnswers(() => cityFeed(0.02), undefined), LIMIT_MILLIS)
})

describe('another import’s texts are not used', () => {
  const stop = async (served: ServedAddresses | undefined, towns: Towns | undefined) => {
    const options = served === undefined ? {} : { addresses: served }
    const api = await openApi({ networks: [{ id: 'ville', feed: smallFeed(), texts: { towns } }], ...options })
    return (await api.get('/v1/stops/ville:stop:CA')).body.data.town
  }

  test('after addresses changed, were added or removed', async () => {
    const [old, now] = [await townsOf('ban1', 'Strasbourg'), await townsOf('ban2', 'Schiltigheim')]
    expect(await stop(old, old)).toBe('Strasbourg')
    expect(await stop(now, old)).toBe('Schiltigheim')
    expect(await stop(now, undefined)).toBe('Schiltigheim')
    expect(await stop(undefined, old)).toBe('')
  })

  test('under another id, or with a column that is too short', async () => {
    const timetable = await timetableOf(smallFeed())
    const texts = makeSnapshotTexts(timetable, 'ville')
    const key = textsKey('ville', '')
    expect(openTexts(texts, key, timetable)).toBeDefined()
    expect(openTexts(texts, textsKey('other', ''), timetable)).toBeUndefined()
    expect(openTexts(undefined, key, timetable)).toBeUndefined()
    const columns = new Map(texts.columns)
    const cut = columns.get('place')?.slice(1) ?? new Uint32Array(0)
    expect(openTexts({ key, columns: columns.set('place', cut) }, key, timetable)).toBeUndefined()
  })
})

test('a changed text needs a new format number', async () => {
  const { key, columns } = makeSnapshotTexts(await timetableOf(smallFeed()), 'ville')
  const bytes = columns.get('bytes')
  expect(bytes).toBeInstanceOf(Uint8Array)
  // If the hash differs, TEXTS_FORMAT must be raised. Otherwise, earlier snapshots would still be served with their old
  // texts.
  expect({ key, hash: Bun.hash.xxHash32(Buffer.from(bytes as Uint8Array)) }).toEqual({
    key: '1 ville ',
    hash: 465656120,
  })
})

test(
  `texts take at most ${MOST_BYTES} bytes for each stop and each call of a pattern`,
  async () => {
    const timetable = await timetableOf(cityFeed(0.2))
    const { columns } = makeSnapshotTexts(timetable, 'ville')
    const byteCount = [...columns.values()].reduce((sum, { byteLength }) => sum + byteLength, 0)
    const rowCount = timetable.stops.id.length + timetable.patterns.stopAt.length
    expect(byteCount / rowCount).toBeLessThanOrEqual(MOST_BYTES)
  },
  LIMIT_MILLIS,
)
