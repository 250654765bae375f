// Tests the street snapshots on disk. Fails if they are built again although nothing has changed, or kept although
// something has changed. Also fails if a bad file or another city's file replaces good streets, if the stops of a new
// timetable are not linked, or if damaged bytes are served.
import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importNetwork } from '../../../src/imports/import-network.ts'
import { importStreets } from '../../../src/streets/street-import.ts'
import { describeLinks, type StreetReport } from '../../../src/streets/street-report.ts'
import { findStreets, openLinks, openStreets } from '../../../src/streets/street-store.ts'
import { TRUE_CLOCK } from '../../../src/system/clock.ts'
import { smallStreets, streetFile } from '../../feeds/small-streets.ts'
import { dedent, type FeedTexts, SMALL_FEED } from '../../feeds/text-feed.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'quai-streets-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const extract = join(dataDir, 'ville.osm.pbf')
const order = { dataDir, sources: [extract], networks: [{ id: 'ville', transferWalkMeters: 500 }] }

async function importFeed(files: FeedTexts): Promise<void> {
  const feed = join(dataDir, 'ville')
  rmSync(feed, { recursive: true, force: true })
  mkdirSync(feed)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(feed, name), dedent(text))
  const feeds = [{ source: feed, prefix: '' }]
  const report = await importNetwork({ network: 'ville', feeds, timezone: undefined, dataDir, force: true }, TRUE_CLOCK)
  if (report.outcome !== 'imported') throw new Error(report.refusal)
}

/** Replaces the extract and imports it. */
async function importBytes(bytes: Uint8Array): Promise<StreetReport> {
  writeFileSync(extract, bytes)
  return await importStreets(order)
}

test('streets are read once, kept while nothing changes, and read again after a change', async () => {
  await importFeed(SMALL_FEED)
  const first = await importBytes(streetFile())
  expect(first).toMatchObject({ outcome: 'imported', problem: undefined, streets: { extractSeconds: null } })
  expect(first.streets?.kilometers).toBeCloseTo(4.3, 0)
  expect(first.networks).toMatchObject([{ id: 'ville', isNew: true, linkedStops: 5, unlinkedStops: 0, warnings: [] }])
  const links = openLinks(first.networks[0]?.path ?? '')
  expect([links?.meta.graph, links?.meta.transferWalkMeters]).toEqual([first.streets?.id, 500])
  const again = await importStreets(order)
  expect(again).toMatchObject({ outcome: 'up_to_date', streets: first.streets, networks: [{ isNew: false }] })
  const before = openStreets(first.streets?.path ?? '')
  const second = await importBytes(streetFile(smallStreets().slice(0, -1), { timestampSeconds: 1_700_000_000 }))
  expect(second).toMatchObject({
    outcome: 'imported',
    streets: { extractSeconds: 1_700_000_000 },
    networks: [{ isNew: true, linkedStops: 4, unlinkedStops: 1, unlinkedIds: ['T'] }],
  })
  // The graph that was opened before stays unchanged, since its file is replaced and not overwritten.
  expect(before?.graph.edgeFrom.length).toBe(3)
  await importBytes(streetFile())
})

test('another maximum transfer walk, or another timetable, rebuilds links and keeps the graph', async () => {
  const { streets } = await importStreets(order)
  const longer = await importStreets({ ...order, networks: [{ id: 'ville', transferWalkMeters: 900 }] })
  expect(longer).toMatchObject({ outcome: 'up_to_date', streets, networks: [{ isNew: true }] })
  await importFeed({ ...SMALL_FEED, 'stops.txt': `${SMALL_FEED['stops.txt']}\nX,500,Extra,48.5802,7.7502,0,,,` })
  expect(await importStreets(order)).toMatchObject({
    outcome: 'up_to_date',
    streets,
    networks: [{ isNew: true, linkedStops: 6 }],
  })
  // The new stop is outside the part of the extract that was kept, so the extract is read again.
  await importFeed({ ...SMALL_FEED, 'stops.txt': `${SMALL_FEED['stops.txt']}\nX,500,Extra,48.7,7.75,0,,,` })
  const farther = await importStreets(order)
  expect(farther).toMatchObject({ outcome: 'imported', networks: [{ linkedStops: 5, unlinkedIds: ['X'] }] })
  await importFeed(SMALL_FEED)
  expect(await importStreets(order)).toMatchObject({ outcome: 'up_to_date', streets: farther.streets })
})

test('an unusable file leaves the streets unchanged', async () => {
  const { streets } = await importStreets(order)
  const damaged = streetFile()
  damaged[damaged.length - 9] ^= 0x40
  for (const [reason, bytes] of [
    ['extract_truncated', streetFile().subarray(0, -5)],
    ['extract_damaged', damaged],
    ['extract_not_an_extract', Buffer.from('<?xml version="1.0"?><osm/>')],
    ['extract_not_an_extract', Buffer.alloc(0)],
    ['extract_unknown_feature', streetFile(smallStreets(), { requiredFeatures: ['HistoricalInformation'] })],
    ['extract_elsewhere', streetFile(smallStreets(10))],
    ['extract_elsewhere', streetFile([])],
    ['extract_damaged', streetFile(smallStreets().toReversed())],
  ] as const) {
    const report = await importBytes(bytes)
    expect({ reason, report }).toMatchObject({
      report: { outcome: 'failed', problem: { reason, isPassing: false }, streets, networks: [{ linkedStops: 5 }] },
    })
    expect(findStreets(dataDir)?.path).toBe(streets?.path ?? '')
  }
  rmSync(extract)
  expect((await importStreets(order)).problem?.reason).toBe('extract_unreadable')
  mkdirSync(extract)
  expect((await importStreets(order)).problem?.reason).toBe('extract_unreadable')
  rmSync(extract, { recursive: true })
  // The file has the same content as the one that was last read successfully, so it is not read again.
  expect(await importBytes(streetFile())).toMatchObject({ outcome: 'up_to_date', problem: undefined })
}, 60_000)

test('an extract of half the city is accepted, with a warning', async () => {
  const report = await importBytes(streetFile(smallStreets().filter(({ id }) => id !== 12 && id !== 3 && id !== 4)))
  expect(report).toMatchObject({ outcome: 'imported', networks: [{ linkedStops: 2, unlinkedStops: 3 }] })
  expect(report.networks[0]?.warnings).toEqual(['only 2 of 5 stops could be linked to a street in the extracts'])
  const keys = { format: 1, graph: '', snapshot: '', transferWalkMeters: 500 }
  const meta = { ...keys, linkedStops: 0, unlinkedStops: 5, unlinkedIds: [] }
  const { warnings } = describeLinks('ville', { path: '', meta, isNew: true })
  expect(warnings).toEqual(['none of 5 stops could be linked to a street in the extracts'])
})

test('several files are combined', async () => {
  const elements = smallStreets()
  const [north, south] = ['north', 'south'].map((name) => join(dataDir, `${name}.osm.pbf`))
  writeFileSync(north ?? '', streetFile(elements.filter(({ id }) => id !== 4)))
  writeFileSync(south ?? '', streetFile(elements.filter(({ id }) => id !== 3 && id !== 5)))
  const both = await importStreets({ ...order, sources: [north ?? '', south ?? ''] })
  const whole = await importBytes(streetFile())
  expect(both.networks[0]?.linkedStops).toBe(5)
  expect(both.streets?.kilometers).toBe(whole.streets?.kilometers ?? 0)
})

test('damaged bytes are detected at the next import', async () => {
  const { streets, networks } = await importStreets(order)
  const links = networks[0]?.path ?? ''
  const bytes = readFileSync(links)
  bytes[bytes.length - 70] ^= 1
  writeFileSync(links, bytes)
  expect(await importStreets(order)).toMatchObject({ outcome: 'up_to_date', networks: [{ isNew: true }] })
  const graph = readFileSync(streets?.path ?? '')
  graph[Math.floor(graph.length / 2)] ^= 1
  writeFileSync(streets?.path ?? '', graph)
  expect(await importStreets(order)).toMatchObject({ outcome: 'imported', networks: [{ linkedStops: 5 }] })
  truncateSync(findStreets(dataDir)?.path ?? '', 100)
  expect((await importStreets(order)).outcome).toBe('imported')
  // There are at most two graphs: the one in use, and the previous one, which threads may still map.
  expect(readdirSync(join(dataDir, 'streets')).filter((name) => name.startsWith('streets-')).length).toBeLessThan(3)
})

test('a network without a snapshot has no streets yet, and does not delay others', async () => {
  const networks = [{ id: 'late', transferWalkMeters: 500 }, ...order.networks]
  expect((await importStreets({ ...order, networks })).networks.map(({ id }) => id)).toEqual(['ville'])
  expect(await importStreets({ ...order, networks: networks.slice(0, 1) })).toMatchObject({ outcome: 'up_to_date' })
})
