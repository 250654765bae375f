// Tests successive imports into one data directory: which feeds are accepted, which are held back and why, and what
// later imports use from earlier ones. Fails if a worse feed replaces a better one unnoticed, if a rejected feed is
// imported again needlessly, or if a report is not kept.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ImportOrder, importNetwork } from '../../../src/imports/import-network.ts'
import type { ImportReport } from '../../../src/imports/import-report.ts'
import { findSnapshot, lastImportPath, listSnapshots } from '../../../src/networks/snapshot-store.ts'
import { addressSnapshotPath, importAddresses, openAddresses } from '../../../src/places/address-store.ts'
import { textsKey } from '../../../src/rendering/made-texts.ts'
import { presentFile } from '../../feeds/address-file.ts'
import { dedent, type FeedTexts, SMALL_FEED } from '../../feeds/text-feed.ts'

const TODAY = '2026-06-10T06:00:00Z'
const CALENDAR_HEAD = 'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date'
const HOUSE_AT_CENTRE = {
  streetId: '67482_1234',
  number: 12,
  street: 'Rue du Centre',
  postcode: '67000',
  communeCode: '67482',
  commune: 'Strasbourg',
  lat: 48.58,
  lon: 7.75,
}

let folder: string
let nowMillis: number

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quai-import-'))
  nowMillis = Date.parse(TODAY)
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Writes a feed to the folder, in place of the previous one. */
function place(files: FeedTexts, name = 'feed'): void {
  rmSync(join(folder, name), { recursive: true, force: true })
  mkdirSync(join(folder, name))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), dedent(text))
}

/** The small feed with daily service between these dates. */
function running(from: string, to: string): FeedTexts {
  return { ...SMALL_FEED, 'calendar.txt': `${CALENDAR_HEAD}\ndaily,1,1,1,1,1,1,1,${from},${to}` }
}

/** The small feed with additional stops, which have no calls. */
function withStops(count: number): FeedTexts {
  const rows = Array.from({ length: count }, (_, at) => `X${at},,X ${at},48.6,7.7,0,,,`)
  return { ...SMALL_FEED, 'stops.txt': `${dedent(SMALL_FEED['stops.txt'] ?? '')}${rows.join('\n')}` }
}

async function runImport(more: Partial<ImportOrder> = {}): Promise<ImportReport> {
  const order: ImportOrder = {
    network: 'ville',
    feeds: [{ source: join(folder, 'feed'), prefix: '' }],
    timezone: undefined,
    dataDir: join(folder, 'data'),
    force: false,
    ...more,
  }
  return await importNetwork(order, { nowMillis: () => nowMillis })
}

const servedHash = () => findSnapshot(join(folder, 'data'), 'ville').found?.loaded.making.feedHash

describe('a first import', () => {
  test('accepts any feed that can be served, with warnings', async () => {
    place(running('20250101', '20250201'))
    expect(await runImport()).toMatchObject({
      outcome: 'imported',
      warnings: [expect.stringContaining('ended on 2025-02-01')],
    })
    expect(servedHash()).toBeDefined()
  })

  test('is not repeated for the same feed', async () => {
    place(SMALL_FEED)
    expect((await runImport()).outcome).toBe('imported')
    expect((await runImport()).outcome).toBe('up_to_date')
    expect((await runImport({ force: true })).outcome).toBe('imported')
  })

  test('makes the stops’ texts with the addresses’ towns, if configured', async () => {
    place(SMALL_FEED)
    const dataDir = join(folder, 'data')
    const source = join(folder, 'addresses.csv')
    writeFileSync(source, presentFile([HOUSE_AT_CENTRE]))
    await importAddresses({ dataDir, sources: [source] })
    const textsOf = () => findSnapshot(dataDir, 'ville').found?.loaded.snapshot.texts
    await runImport()
    expect(textsOf()?.key).toBe(textsKey('ville', ''))
    await runImport({ force: true, hasAddresses: true })
    expect(textsOf()?.key).toBe(textsKey('ville', openAddresses(addressSnapshotPath(dataDir))?.id ?? 'none'))
    expect(Buffer.from(textsOf()?.columns.get('bytes') as Uint8Array).toString()).toContain('"town":"Strasbourg"')
  })
})

describe('an import that replaces another is held', () => {
  const cases: readonly (readonly [what: string, before: FeedTexts, next: FeedTexts, sentence: string])[] = [
    ['that has ended', SMALL_FEED, running('20250101', '20260609'), "the new timetable's calendar ended on 2026-06-09"],
    ['that never runs', SMALL_FEED, running('20270101', '20260101'), 'the new timetable has no trip on any day'],
    [
      'whose service begins while the old one has its own',
      SMALL_FEED,
      running('20260612', '20261231'),
      'begins on 2026-06-12',
    ],
    [
      'without service this week',
      running('20260601', '20260611'),
      running('20260617', '20261231'),
      'no trip in the next 7 days',
    ],
    [
      'that loses a third of the stops',
      withStops(40),
      withStops(20),
      'the new timetable has 25 stops, but the current one has 45',
    ],
    [
      'that loses a third of the trips',
      SMALL_FEED,
      {
        ...SMALL_FEED,
        'trips.txt': dedent(SMALL_FEED['trips.txt'] ?? '')
          .split('\n')
          .slice(0, 5)
          .join('\n'),
      },
      'the new timetable has 4 trips, but the current one has 7',
    ],
    [
      'that loses one row in twenty',
      SMALL_FEED,
      {
        ...SMALL_FEED,
        'stop_times.txt': `${dedent(SMALL_FEED['stop_times.txt'] ?? '')}zz,09:00:00,09:00:00,G,1\nzz,09:10:00,09:10:00,P,2`,
      },
      'of stop_times.txt are unusable',
    ],
  ]
  for (const [what, before, next, sentence] of cases) {
    test(what, async () => {
      place(before)
      await runImport()
      const hash = servedHash()
      place(next)
      const held = await runImport()
      expect(held).toMatchObject({ outcome: 'held', refusal: expect.stringContaining(sentence) })
      expect(servedHash()).toBe(hash)
      expect(JSON.parse(readFileSync(lastImportPath(join(folder, 'data'), 'ville'), 'utf8'))).toEqual(held)
      expect(await runImport()).toMatchObject({ outcome: 'held', refusal: held.refusal })
      expect(await runImport({ force: true })).toMatchObject({
        outcome: 'imported',
        warnings: expect.arrayContaining([expect.stringContaining('accepted by --force')]),
      })
      expect(servedHash()).not.toBe(hash)
    })
  }

  test('and is applied on its first day', async () => {
    place(SMALL_FEED)
    await runImport()
    place(running('20260612', '20261231'))
    expect((await runImport()).outcome).toBe('held')
    nowMillis = Date.parse('2026-06-11T21:59:59Z') // this is 23:59:59 in Paris
    expect((await runImport()).outcome).toBe('held')
    nowMillis = Date.parse('2026-06-11T22:00:00Z')
    expect((await runImport()).outcome).toBe('imported')
  })

  test('but not if the old one has nothing to lose', async () => {
    place(running('20260101', '20260609'))
    await runImport()
    place(running('20260612', '20261231'))
    expect((await runImport()).outcome).toBe('imported')
  })

  test('but not if the loss is slightly smaller', async () => {
    place(withStops(45))
    await runImport()
    place(withStops(30))
    expect((await runImport()).outcome).toBe('imported')
  })
})

describe('a rejected feed', () => {
  test('leaves the previous snapshot, and is not read again until it changes', async () => {
    place(SMALL_FEED)
    await runImport()
    const hash = servedHash()
    const { 'stops.txt': _, ...without } = SMALL_FEED
    place(without)
    expect(await runImport()).toMatchObject({ outcome: 'refused', refusal: expect.stringContaining('stops.txt') })
    const steps: string[] = []
    const order = { network: 'ville', feeds: [{ source: join(folder, 'feed'), prefix: '' }], timezone: undefined }
    const again = await importNetwork(
      { ...order, dataDir: join(folder, 'data'), force: false },
      { nowMillis: () => nowMillis },
      { onProgress: (step) => steps.push(step) },
    )
    expect(again.outcome).toBe('refused')
    expect(steps).not.toContain('reading')
    expect(servedHash()).toBe(hash)
    place(SMALL_FEED)
    expect((await runImport()).outcome).toBe('up_to_date')
  })

  test('is reported if there is no snapshot', async () => {
    expect(await runImport()).toMatchObject({ outcome: 'refused', refusal: expect.stringContaining('missing_feed') })
    expect(listSnapshots(join(folder, 'data'), 'ville')).toEqual([])
  })
})

test('three snapshots are kept, each with its report', async () => {
  for (let number = 0; number < 5; number++) {
    place(withStops(number))
    await runImport()
  }
  const kept = listSnapshots(join(folder, 'data'), 'ville')
  expect(kept.length).toBe(3)
  for (const path of kept) {
    const report = JSON.parse(readFileSync(path.replace('.snapshot', '.report.json'), 'utf8'))
    expect(report.snapshotPath).toBe(path)
  }
})

test('a clock set back does not make a new snapshot older than the previous one', async () => {
  place(SMALL_FEED)
  await runImport()
  const [path = ''] = listSnapshots(join(folder, 'data'), 'ville')
  const future = path.replace(/\d{8}T/, '20991231T')
  writeFileSync(future, readFileSync(path))
  place(withStops(1))
  const { snapshotPath } = await runImport()
  expect(listSnapshots(join(folder, 'data'), 'ville')[0]).toBe(snapshotPath)
})
